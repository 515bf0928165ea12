//! Distributed runs on the command line: server settings, `worker`, and its messages.

#[cfg(feature = "nats")]
use std::num::{NonZeroU64, NonZeroUsize};
#[cfg(feature = "nats")]
use std::path::PathBuf;

#[cfg(feature = "nats")]
use clap::Args;

#[cfg(feature = "nats")]
pub(super) use over_nats::{name_run, start, worker};
#[cfg(feature = "nats")]
use smalt_match::plan::{Flags, FleetSettings};

#[cfg(feature = "nats")]
#[derive(Args, Clone, Debug)]
#[command(mut_arg("fleet_run", |run| run.hide(false).help("Name of the only run to play for")))]
#[command(mut_arg("lease", |lease| lease.hide(true)))]
#[command(mut_arg("allow_mixed", |mixed| mixed.help("Continue with an engine whose program changes during a run")))]
#[command(mut_arg("ssh", |ssh| ssh.hide(true)), mut_arg("send_files", |files| files.hide(true)))]
pub(super) struct WorkerFlags {
    /// NATS server and authentication.
    #[command(flatten)]
    pub fleet: Flags<FleetSettings>,
    /// Number of concurrent games [default: cores less one]
    #[arg(long, value_name = "N")]
    pub concurrency: Option<NonZeroUsize>,
    /// Registry of the engines that may be started here, by the names of the run's engines or of their programs [default:
    /// smalt/engines.toml in your configuration folder, and Debian's engines]
    #[arg(long, value_name = "FILE")]
    pub engines: Option<PathBuf>,
    /// Name of this worker in tables [default: the name of this machine]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Speed of this machine: nodes per second of Smalt on one core [default: measured, which takes a second]
    #[arg(long, value_name = "NPS", value_parser = parse_speed)]
    pub speed: Option<NonZeroU64>,
    /// Folders of Syzygy tablebases for adjudication, separated by colons (semicolons on Windows), e.g. /srv/syzygy
    #[arg(long, value_name = "PATH")]
    pub tb: Option<PathBuf>,
    /// Folder of full transcripts, a folder for each run with a file for each game [default: none]
    #[arg(long, value_name = "FOLDER")]
    pub log: Option<PathBuf>,
    /// CPU affinity of games: auto (if possible), on, off, or processors like 0,2,4-7
    #[arg(long, value_name = "AFFINITY", default_value = "auto")]
    pub affinity: smalt_match::plan::Affinity,
    /// Accept engines and files sent by runs (--send-files); everybody who may start runs on the server can then start programs here
    #[arg(long)]
    pub accept_files: bool,
    /// Started over ssh: standard input has the registry of the copied engines in its first line, then a line every few seconds,
    /// and the worker ends with it
    #[arg(long, hide = true)]
    pub attached: bool,
}

#[cfg(feature = "nats")]
fn parse_speed(text: &str) -> Result<NonZeroU64, String> {
    let most = smalt_fleet::wire::MAX_FIGURE;
    let speed = text.parse().ok().filter(|speed: &NonZeroU64| speed.get() <= most);
    speed.ok_or_else(|| format!("a speed is a whole number of 1 to {most} nodes per second"))
}

#[cfg(feature = "nats")]
pub(super) const WORKER_EXAMPLES: &str = "\
Example:
  nats-server -js                                                        on the machine \"host\"
  smalt-tournament worker --nats nats://host:4222 --concurrency 8        on every machine that plays
  smalt-tournament sprt --engine ./new --engine ./old --nats nats://host:4222

engines.toml on every machine that plays, for --engine ./new --engine ./old:
  [[engine]]
  name = \"new\"
  cmd = \"/home/me/new\"
  [[engine]]
  name = \"old\"
  cmd = \"/home/me/old\"

Without --accept-files a worker runs only what its own registry names: an entrant is the engine of its name, or else of the name of its \
program; `builtin` is Smalt itself. Neither commands nor paths come from a run, and options that name files (EvalFile, \
SyzygyPath) have the value of the registry. Ctrl-C hands back what is being played, and ends the worker.

A worker names its user (--nats-user, or the public key of its nkey or credentials) in the subjects that it uses. \
`nats-server -js` lets in everybody who reaches it; where you do not trust all of them, give each worker its own user \
with the permissions below: a worker can then neither send messages for another nor read its answers. Every game is replayed by the rules; \
a worker that sends an impossible one is disqualified. Search output cannot be verified: give access only to trusted users.

A password on a command line could be read by others: give it in the environment (SMALT_NATS_PASSWORD) or in a file.

Permissions on a server, with the name of the user in the place of USER (other characters than letters, digits, - and _ \
are written as = and two hexadecimal digits):
  coordinator  publish    smalt.runs, smalt.run.*.halt, smalt.run.*.work.*, $JS.API.>, _INBOX.>
               subscribe  smalt.runs, smalt.run.*.ask.>, _INBOX.USER.>
  worker       publish    smalt.run.*.ask.USER.*, $JS.API.CONSUMER.INFO.>, $JS.API.CONSUMER.MSG.NEXT.>, $JS.ACK.>
               subscribe  smalt.runs, smalt.run.*.halt, _INBOX.USER.>
and for files that a run sends (--send-files, --accept-files):
  coordinator  publish    $O.>
  worker       publish    $JS.API.STREAM.INFO.*, $JS.API.DIRECT.GET.*, $JS.API.DIRECT.GET.*.$O.>";

#[cfg(feature = "nats")]
mod over_nats {
    use std::io::Read as _;
    use std::path::Path;
    use std::sync::mpsc::{self, Sender};
    use std::thread;

    use anyhow::{Context, anyhow};
    use ring::digest::{SHA256, digest};

    use super::super::exit::{Exit, OrRefuse, Refusal};
    use super::super::output::print_info;
    use super::super::registry::registry;
    use super::super::signals;
    use super::WorkerFlags;
    use smalt_fleet::wire::{MAX_SLOTS, RunConfigMessage, check_machine};
    use smalt_fleet::{
        COPY_BENCH, ConnectError, EngineCopy, FleetRun, FleetState, GameVerifier, HEARTBEAT_INTERVAL,
        JetStream, NatsServer, SentFile, SshSetup, SshWorkers, WorkerExit, WorkerSetup, collect_files,
        is_sendable, login, run_worker,
    };
    use smalt_fleet::{machine, run_config};
    use smalt_match::game::{MachineReport, TablebaseAdjudicator};
    use smalt_match::plan::{Entrant, FleetSettings, Plan, Program};
    use smalt_match::run::{Event, StopReason, engine_command};
    use smalt_workbench::concurrency::{Concurrent, cores, spare_cores, within_limits};
    use smalt_workbench::engine_files::{hexadecimal, random_hexadecimal};
    use smalt_workbench::entrant::Registry;
    use smalt_workbench::program::{own_program, start_reaper};
    use smalt_workbench::source;

    /// Missed heartbeats after which an attached worker treats its connection as lost.
    const LOST_HEARTBEATS: u32 = 6;

    /// Gives a distributed run its permanent name on the server.
    pub(in super::super) fn name_run(plan: &mut Plan) -> Result<(), Refusal> {
        let fleet = &mut plan.settings.fleet;
        if fleet.on().is_none() || fleet.run.is_some() {
            return Ok(());
        }
        fleet.run = Some(random_hexadecimal(8).or_failed()?);
        Ok(())
    }

    /// The queue of a distributed run, with the workers on its ssh hosts.
    pub(in super::super) fn start(
        plan: &Plan,
        fleet: &FleetSettings,
        tablebases: Option<TablebaseAdjudicator>,
        known: &[MachineReport],
        events: &Sender<Event>,
    ) -> Result<JetStream, Refusal> {
        let rules = GameVerifier::of(plan, tablebases);
        let lease = fleet.lease.duration();
        let lease_ms = u64::try_from(lease.as_millis()).unwrap_or(u64::MAX);
        let mut message = run_config::message(plan, rules.tables(), lease_ms);
        let files = if fleet.send_files { sent_files(plan, fleet)? } else { Vec::new() };
        message.files = files.iter().map(|file| file.message.clone()).collect();
        let digest = plan_digest(plan, &message);
        let fleet_state = FleetState::new(plan, rules, message, known);
        let reaper = start_reaper();
        let own_server = match fleet.nats {
            Some(_) => None,
            None => Some(
                NatsServer::start(reaper.as_ref())
                    .map_err(|error| anyhow!("failed to {error}"))
                    .or_failed()?,
            ),
        };
        let server = own_server.as_ref().map_or_else(|| fleet.clone(), |server| server.settings(fleet));
        let run = fleet.run.clone().context("the run has no name").or_failed()?;
        let fleet_run = FleetRun {
            server: server.clone(),
            run: run.clone(),
            name: plan.name().to_owned(),
            plan: digest,
            lease,
            files,
        };
        let queue = JetStream::start(fleet_run, fleet_state, events).map_err(refuse)?;
        if server.ssh.is_empty() {
            return Ok(queue);
        }
        let login = login(&server).map_err(refuse)?;
        let own_program = own_program()?;
        let engines = engine_copies(plan, &own_program);
        let setup = SshSetup { server, login, run, own_program, engines, reaper };
        let hosts = SshWorkers::start(setup, events, print_info)
            .map_err(|error| anyhow!("failed to {error}"))
            .or_failed()?;
        Ok(queue.with_hosts(hosts, own_server))
    }

    /// Identifies the games of a run: its configuration with the openings, which workers get with each pair.
    fn plan_digest(plan: &Plan, message: &RunConfigMessage) -> String {
        let openings = format!("{:?}", plan.settings.openings);
        let digest = digest(&SHA256, format!("{}\n{openings}", message.digest()).as_bytes());
        hexadecimal(digest.as_ref())
    }

    /// The files of a run with `--send-files`. A notice names the engines that workers need in their own registry.
    fn sent_files(plan: &Plan, fleet: &FleetSettings) -> Result<Vec<SentFile>, Refusal> {
        let is_kept =
            |entrant: &&Entrant| entrant.program != Program::Builtin && !is_sendable(&entrant.engine);
        for entrant in plan.entrants.iter().filter(is_kept).filter(|_| fleet.ssh.is_empty()) {
            print_info(&format!(
                "Not sent: {}: it has arguments, a folder or xboard commands (initstr); workers need it in their engines.toml",
                entrant.name
            ));
        }
        collect_files(plan, &own_program()?).map_err(|error| anyhow!("failed to {error}")).or_failed()
    }

    /// Engines that can be copied: programs of this machine that need no working folder.
    fn engine_copies(plan: &Plan, own_program: &Path) -> Vec<EngineCopy> {
        let engines = plan
            .entrants
            .iter()
            .filter(|entrant| matches!(entrant.program, Program::Command(_)) && entrant.engine.dir.is_none());
        let copies = engines.filter_map(|entrant| {
            let program = engine_command(entrant, own_program).locate().ok()?;
            let (args, initstr) = (entrant.engine.args.clone(), entrant.engine.initstr.clone());
            let bench = source::expected_bench(&entrant.engine, &source::cache_folder());
            Some(EngineCopy { name: entrant.name.clone(), program, args, initstr, bench })
        });
        copies.collect()
    }

    /// Reads the registry of the copied engines from standard input. Their folders are beside this program's.
    fn copied_engines() -> anyhow::Result<Registry> {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line)?;
        let mut registry: toml::Table = serde_json::from_str(&line)?;
        let own = std::env::current_exe()?;
        let folder = own.ancestors().nth(2).context("find the folder of the copies")?;
        let engines = registry.get_mut("engine").and_then(toml::Value::as_array_mut).into_iter().flatten();
        for engine in engines.filter_map(toml::Value::as_table_mut) {
            let name = engine.get("name").and_then(toml::Value::as_str).map(str::to_owned);
            let bench = engine.remove(COPY_BENCH).and_then(|nodes| u64::try_from(nodes.as_integer()?).ok());
            if let Some(toml::Value::String(cmd)) = engine.get_mut("cmd") {
                let program = folder.join(&*cmd);
                if let Some(bench) = bench {
                    check_copy(&program, bench).with_context(|| name.unwrap_or_default())?;
                }
                *cmd = program.display().to_string();
            }
        }
        Ok(Registry::parse(&registry.to_string(), "copied engines")?)
    }

    /// Compares the node count of a copied engine with that of its commit, once on each machine.
    fn check_copy(program: &Path, bench: u64) -> anyhow::Result<()> {
        let checked = program.with_file_name(format!("bench-{bench}"));
        if !checked.exists() {
            source::check_bench(program, bench, start_reaper().as_ref())?;
            std::fs::write(checked, "")?;
        }
        Ok(())
    }

    /// The registry of a worker: that of this machine, then the copied engines of an attached worker.
    fn worker_registry(flags: &WorkerFlags) -> Result<Registry, Refusal> {
        if !flags.attached {
            return registry(flags.engines.as_deref());
        }
        let copied = copied_engines().context("read the engines that were copied").or_failed()?;
        let own = Registry::load_own(flags.engines.as_deref(), &mut |words| print_info(&words)).or_usage()?;
        Ok(own.or(copied).or(Registry::shipped()))
    }

    /// Stops an attached worker when standard input ends or is silent too long.
    fn stop_with_input(events: Sender<Event>) -> std::io::Result<()> {
        let (heartbeats, received) = mpsc::channel();
        let reader = move || {
            let mut bytes = std::io::stdin().lock().bytes();
            while bytes.next().is_some_and(|byte| byte.is_ok() && heartbeats.send(()).is_ok()) {}
        };
        thread::Builder::new().name("input".to_owned()).spawn(reader)?;
        let watch = move || {
            while received.recv_timeout(LOST_HEARTBEATS * HEARTBEAT_INTERVAL).is_ok() {}
            let _ = events.send(Event::Stop(StopReason::User));
        };
        thread::Builder::new().name("heartbeats".to_owned()).spawn(watch)?;
        Ok(())
    }

    fn refuse(error: ConnectError) -> Refusal {
        let exit = match error {
            ConnectError::File { .. } | ConnectError::NoPassword { .. } => Exit::Usage,
            _ => Exit::Failed,
        };
        Refusal { exit, error: anyhow!("failed to {error}") }
    }

    pub(in super::super) fn worker(flags: &WorkerFlags) -> Result<Exit, Refusal> {
        flags.fleet.settings.check().map_err(|error| anyhow!("--nats: {error}")).or_usage()?;
        if !flags.fleet.settings.ssh.is_empty() {
            return Err(anyhow!("--ssh is for the run, which starts the workers on its hosts")).or_usage();
        }
        let server = flags
            .fleet
            .settings
            .on()
            .context("--nats URL is missing: name the server of the run")
            .or_usage()?;
        let cores = cores();
        let slots = flags.concurrency.map_or_else(spare_cores, std::num::NonZeroUsize::get);
        if slots > cores {
            print_info(&format!(
                "Warning: concurrency {slots} on {}: engines will wait for each other",
                smalt_report::format::count(cores, "core")
            ));
        }
        let name = flags.name.clone().unwrap_or_else(machine::host_name);
        check_machine(&name).map_err(|words| anyhow!("--name: {words}")).or_usage()?;
        if slots > MAX_SLOTS {
            return Err(anyhow!("--concurrency: {MAX_SLOTS} is the maximum")).or_usage();
        }
        let games = Concurrent::Games { threads: 1 };
        let slots = within_limits(slots, games, &mut print_info).context("play").or_usage()?;
        let (sender, events) = mpsc::channel();
        signals::listen(sender.clone()).context("listen to signals").or_failed()?;
        let registry = worker_registry(flags)?;
        if flags.attached {
            stop_with_input(sender.clone()).context("watch standard input").or_failed()?;
        }
        let setup = WorkerSetup {
            server: server.clone(),
            name,
            slots,
            run: server.run.clone(),
            registry,
            speed: flags.speed,
            tables: flags.tb.clone(),
            log: flags.log.clone(),
            affinity: flags.affinity.clone(),
            accept_files: flags.accept_files,
            own_program: own_program()?,
            reaper: start_reaper(),
        };
        match run_worker(setup, (sender, events), Box::new(print_info)).map_err(refuse)? {
            WorkerExit::Asked => Ok(Exit::Interrupted),
            WorkerExit::Failed(words) => {
                Err(Refusal { exit: Exit::Failed, error: anyhow!("failed to {words}") })
            }
        }
    }
}
