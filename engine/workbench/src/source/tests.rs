//! Building engines from commits: what is parsed, refused and cached.

#![expect(clippy::disallowed_methods, reason = "git makes the repository")]

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::*;

/// A repository whose engine is a shell script that a build command copies.
struct TestRepository {
    folder: TempDir,
}

impl TestRepository {
    fn new() -> TestRepository {
        let place = TestRepository { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(place.repo()).unwrap();
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place.commit("echo '100 nodes 5 nps'", "First engine");
        place
    }

    fn repo(&self) -> PathBuf {
        self.folder.path().join("it's mine")
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn git(&self, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"];
        let output =
            Command::new("git").args(identity).args(arguments).current_dir(self.repo()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits an engine script with these lines.
    fn commit(&self, lines: &str, message: &str) -> String {
        std::fs::write(self.repo().join("engine.sh"), format!("#!/bin/sh\n{lines}\n")).unwrap();
        self.git(&["add", "engine.sh"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn source(&self, revision: &str, build: &str) -> Source {
        Source {
            repo: self.repo().display().to_string(),
            revision: revision.to_owned(),
            build: build.to_owned(),
            is_published: false,
        }
    }

    fn build(&self, revision: &str, command: &str) -> (Result<Built, BuildError>, Vec<String>) {
        let mut notices = Vec::new();
        let built = self
            .builder(&mut |notice| notices.push(notice.to_owned()))
            .build(&self.source(revision, command));
        (built, notices)
    }

    fn builder<'a>(&self, notify: &'a mut dyn FnMut(&str)) -> Builder<'a> {
        Builder { cache: self.cache(), reaper: Box::new(|| None), notify: Box::new(notify) }
    }
}

const COPY: &str = "chmod +x engine.sh && cp engine.sh {exe}";

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_commit_is_built_once_and_the_checkout_is_not_touched() {
    let place = TestRepository::new();
    let first = place.git(&["rev-parse", "HEAD"]);
    place.commit("exit 1", "Second engine");
    // Uncommitted changes are not built, and are kept.
    std::fs::write(place.repo().join("engine.sh"), "mine").unwrap();
    let (built, notices) = place.build("HEAD~1", COPY);
    let built = built.unwrap();
    assert_eq!((built.commit.as_str(), notices.len()), (first.as_str(), 1));
    assert_eq!(built.title, format!("{} First engine", &first[..8]));
    assert_eq!(std::fs::read_to_string(&built.program).unwrap(), "#!/bin/sh\necho '100 nodes 5 nps'\n");
    assert_eq!(std::fs::read_to_string(place.repo().join("engine.sh")).unwrap(), "mine");
    assert!(!place.repo().join(".git/worktrees").exists());
    assert_eq!(entries(built.program.parent().unwrap()), ["build.log", "engine", "lock"]);

    let (again, notices) = place.build(&first, COPY);
    assert_eq!((again.unwrap(), notices.len()), (built.clone(), 0));
    let (other, notices) = place.build(&first, "true && chmod +x engine.sh && cp engine.sh $EXE");
    assert_eq!(notices.len(), 1);
    assert_ne!(other.unwrap().program, built.program);
}

/// The processes of a killed build may still write there.
#[test]
fn a_build_shares_no_file_with_one_before() {
    let place = TestRepository::new();
    let log = place.folder.path().join("programs");
    let failing = format!("echo $EXE >>'{}'; exit 1", log.display());
    for _ in 0..2 {
        assert!(place.build("main", &failing).0.is_err());
    }
    let built = std::fs::read_to_string(&log).unwrap();
    let programs: Vec<&Path> = built.lines().map(Path::new).collect();
    assert_ne!(programs[0], programs[1]);
    let folder = programs[0].ancestors().nth(2).unwrap();
    std::fs::create_dir_all(folder.join("new-killed")).unwrap();
    std::fs::write(folder.join("new-killed/engine"), "half").unwrap();
    std::fs::create_dir_all(folder.join("tree/left")).unwrap();
    assert!(place.build("main", &failing).0.is_err());
    assert!(!folder.join("tree/left").exists());
    assert_eq!(entries(folder), ["build.log", "lock", "tree"]);
}

#[test]
fn a_failed_build_shows_the_end_of_its_log_and_is_tried_again() {
    let place = TestRepository::new();
    let (built, _) = place.build("main", "echo compiling; echo 'no such header' >&2; exit 3");
    let error = built.unwrap_err();
    assert!(
        matches!(&error, BuildError::Failed { tail, .. } if tail == "compiling\nno such header"),
        "{error}"
    );
    let (built, _) = place.build("main", "true");
    assert!(matches!(built.unwrap_err(), BuildError::NoProgram { .. }));
    let (built, notices) = place.build("main", "true");
    assert!(built.is_err());
    assert_eq!(notices.len(), 1, "what failed is not in the cache");
    let (built, _) = place.build("no-such-branch", COPY);
    assert!(built.unwrap_err().to_string().contains("no such branch, tag or commit"));
}

#[test]
fn a_program_counts_the_nodes_of_its_commit_message() {
    let place = TestRepository::new();
    place.commit("echo '100 nodes 5 nps'", "Right\n\nBench: 100");
    assert!(place.build("main", COPY).0.is_ok());
    place.commit("echo 'Nodes searched  : 101' >&2", "Wrong\n\nBench: 100");
    let error = place.build("main", COPY).0.unwrap_err().to_string();
    assert!(error.ends_with("the commit message says Bench: 100, and the program counts 101"), "{error}");
    place.commit("exit 2", "None\n\nBench: 100");
    let error = place.build("main", COPY).0.unwrap_err().to_string();
    assert!(error.contains("shows no node count"), "{error}");
}

#[test]
fn a_url_is_mirrored_and_a_moved_branch_is_fetched() {
    let place = TestRepository::new();
    let url = format!("file://{}", place.repo().display());
    let source = Source { repo: url, ..place.source("main", COPY) };
    let build = |source: &Source| place.builder(&mut |_| {}).build(source).unwrap();
    let first = build(&source);
    let second = place.commit("echo '100 nodes 5 nps'", "Second engine");
    let left: Vec<_> =
        entries(&place.cache().join("mirrors")).into_iter().filter(|name| name.contains("new")).collect();
    assert_eq!(left, [""; 0]);
    let moved = build(&source);
    assert_ne!(first.commit, second);
    assert_eq!(moved.commit, second);
    // The commit is cached, so the repository is not needed.
    std::fs::rename(place.repo(), place.folder.path().join("away")).unwrap();
    let known = Source { revision: first.commit.clone(), ..source };
    assert_eq!(build(&known), first);
}

#[test]
fn commits_of_pull_requests_are_not_built_for_others() {
    let place = TestRepository::new();
    place.git(&["checkout", "--quiet", "-b", "theirs"]);
    let pull = place.commit("touch harmed", "Pull request");
    place.git(&["update-ref", "refs/pull/1/head", &pull]);
    place.git(&["checkout", "--quiet", "main"]);
    place.git(&["branch", "--quiet", "-D", "theirs"]);
    let url = format!("file://{}", place.repo().display());
    let build = |repo: &str, revision: &str, is_published: bool| {
        let source = Source { repo: repo.to_owned(), is_published, ..place.source(revision, COPY) };
        place.builder(&mut |_| {}).build(&source).map_err(|error| error.to_string())
    };
    let own = place.repo().display().to_string();
    assert!(build(&own, &pull, false).is_ok(), "it is the user's own command");
    let refused = build(&own, &pull, true).unwrap_err();
    assert!(refused.starts_with(&format!("{pull} is in no branch or tag of")), "{refused}");
    // A mirror does not even have it.
    for is_published in [false, true] {
        let refused = build(&url, &pull, is_published).unwrap_err();
        assert!(refused.contains("no such branch, tag or commit"), "{refused}");
    }
    place.git(&["tag", "merged", &pull]);
    for repo in [&own, &url] {
        assert_eq!(build(repo, &pull, true).unwrap().commit, pull);
    }
    assert!(build(&url, "main", true).is_ok());
}

#[test]
fn engines_with_a_repository_get_their_commands_and_names() {
    let place = TestRepository::new();
    let registry = Registry::parse(
        &format!(
            "[[engine]]\nname = 'mine'\ncmd = '/usr/bin/mine'\nrepo = \"{}\"\nbuild = '{COPY}'\noptions = {{ Hash = 8 }}\n",
            place.repo().display()
        ),
        "engines.toml",
    )
    .unwrap();
    let row = |text: &str| registry.parse_engine(text).unwrap();
    let words = format!("\"git={}\" ref=main \"build={COPY}\" nodes=10", place.repo().display());
    let mut engines = [row(&words), row("cmd=mine ref=main name=branch"), row("mine"), row("other")];
    place.builder(&mut |_| {}).build_entrants(&mut engines, &Table::new(), &registry).unwrap();
    let text = |index: usize, key: &str| engines[index].get(key).and_then(Value::as_str).map(str::to_owned);
    let commit = place.git(&["rev-parse", "HEAD"]);
    assert_eq!(text(0, "name"), Some(format!("{} First engine", &commit[..8])));
    assert_eq!(text(0, "cmd"), text(1, "cmd"));
    assert_eq!((text(1, "name").as_deref(), text(1, "ref")), (Some("branch"), Some(commit)));
    assert_eq!(engines[1]["options"]["Hash"].as_integer(), Some(8));
    assert_eq!(engines[0]["nodes"].as_integer(), Some(10));
    assert_eq!((text(2, "cmd").as_deref(), text(2, "ref")), (Some("mine"), None));
    assert_eq!(text(3, "cmd").as_deref(), Some("other"));
    // The built engine is found again, as a resumed run needs it.
    let before = engines.to_vec();
    place
        .builder(&mut |notice| panic!("{notice}"))
        .build_entrants(&mut engines, &Table::new(), &registry)
        .unwrap();
    assert_eq!(engines.to_vec(), before);
}
