// A run at a glance: head with state and progress, and the cards of its overview.

import { curve, gauge, interval, pentanomial, resultBar } from "./charts.js";
import { card, element, renew, table, transcript } from "./elements.js";
import { capitalized, clock, estimate, estimateAfterTest, estimateAtAnyLook, estimateOfRace, fixed, isKnown, line, percent, short, signed, verdict, whole } from "./words.js";

const FAULTS = new Set(["time forfeit", "disconnect", "stall", "illegal move", "missing move", "malformed move", "endless line", "false claim"]);

const byRank = (entrants) => entrants.map((entrant, index) => ({ ...entrant, index })).sort((first, second) => first.rank - second.rank);

/** What the columns of the standings are. */
const COLUMNS = "Elo: with its 95 % interval, as in the tables of the terminal. At any look: the wider interval for a run that is watched; in 95 of 100 runs it holds the true Elo from the first game to the last. LOS: likelihood that the engine is stronger than its opponents.";

const points = ({ points, games }) => `${points.toLocaleString("en-US")} of ${whole(games)} points`;

/** Likelihood of superiority from which an engine is said to lead. */
const LEAST_LOS = 0.95;

/** Who leads and how sure that is: [what is known, the figures]. */
export function lead(run) {
  const { entrants, sprt, leader, course } = run.results;
  const named = (name) => entrants.find((entrant) => entrant.name === name);
  if (sprt && sprt.verdict !== "continue") {
    return [`${entrants[0].name} ${sprt.verdict === "H1" ? "passes" : "fails"} the test`, `${sprt.verdict} is accepted after ${whole(sprt.games)} games`];
  }
  if (course?.kind === "knockout" && course.champion) return [`${course.champion} has won the knockout`, points(named(course.champion))];
  if (!leader || course?.kind === "bisect") return null;
  const sure = isKnown(leader.los) ? `stronger than ${leader.ahead_of ?? "its opponents"} with a likelihood of ${percent(leader.los)}` : "";
  const won = points(named(leader.name));
  const equal = entrants.filter(({ points, games }) => points === named(leader.name).points && games === named(leader.name).games);
  if (!isKnown(leader.los) && equal.length > 1) return ["Shared lead", `${equal.map(({ name }) => name).join(", ")} have ${won} each`];
  if (leader.los >= LEAST_LOS && !sprt) return [`${leader.name} leads`, `${won}, ${sure}`];
  return [run.state === "running" ? "Too early to say" : "Too close to call", `${leader.name} has ${won}${sure ? ` and is ${sure}` : ""}`];
}

/** The game that ended last, and the move that lost it. */
function lastGame({ id, results, last_game: game }) {
  if (!game) return null;
  const [white, black] = [game.white, game.black].map((index) => results.entrants[index]?.name ?? "?");
  const [winner, loser] = game.result === "1-0" ? [white, black] : [black, white];
  const move = game.losing_move;
  const words = game.result === "1/2-1/2" ? `${white} and ${black} drew`
    : [`${loser} lost to ${winner}`, move ? [" by ", element("b", {}, line([move.san], move.plies_before))] : null];
  return element("p", {}, "Last game: ",
    element("a", { href: `#/run/${id}/games/${game.number}${move ? `?ply=${move.ply}` : ""}`, "data-focus": "last game" }, words),
    element("span", { class: "quiet" }, ` (game ${game.number}: ${game.sentence}${move || game.is_explained ? "" : "; no single move lost it"})`));
}

/** The first lines of the overview: who leads, and the last game. */
export function glance(run) {
  const found = lead(run);
  const last = lastGame(run);
  return found || last ? card("At a glance", null, found ? element("p", { class: "lead" }, element("b", {}, found[0]), `: ${found[1]}`) : null, last) : null;
}

function estimateCell(results) {
  const [number, range] = estimate(results);
  return element("span", { class: "estimate" }, element("b", {}, number), element("span", {}, range));
}

export function standings(run) {
  const entrants = byRank(run.results.entrants);
  const reach = entrants.flatMap(({ elo, elo_always_low: low, elo_always_high: high }) => [elo, low, high]).filter(isKnown).map(Math.abs);
  const most = Math.min(800, Math.max(20, ...reach));
  // A failed start ends no game: the list of faults below shows it.
  const faults = (entrant) => {
    const inGames = entrant.time_losses + entrant.crashes + entrant.illegal_moves;
    const count = whole(inGames + entrant.failed_starts);
    if (inGames > 0) return element("a", { class: "text-lost", href: `#/run/${run.id}/games?engine=${entrant.index}&result=loss&ending=fault` }, count);
    return entrant.failed_starts > 0 ? element("span", { class: "text-lost", title: `${entrant.failed_starts} failed starts` }, count) : "0";
  };
  const rows = entrants.map((entrant) => [
    element("a", { href: `#/run/${run.id}/games?engine=${entrant.index}`, "data-focus": `entrant ${entrant.index}` }, entrant.name),
    ...(entrants.length > 2 ? [isKnown(entrant.rating) ? `${signed(entrant.rating)}${isKnown(entrant.rating_error) ? ` ± ${fixed(entrant.rating_error, 1)}` : ""}` : "–"] : []),
    estimateCell(entrant),
    interval({ value: entrant.elo, low: entrant.elo_always_low, high: entrant.elo_always_high }, most),
    `${entrant.points.toLocaleString("en-US")} / ${whole(entrant.games)}`,
    element("span", { title: `${entrant.wins} won, ${entrant.draws} drawn, ${entrant.losses} lost` }, resultBar(entrant.wins, entrant.draws, entrant.losses)),
    percent(entrant.los),
    faults(entrant),
  ]);
  const rating = entrants.length > 2 ? [["Rating", "number wide"]] : [];
  return card("Standings", null, table(
    [["Engine", "name"], ...rating, ["Elo", ""], ["At any look", "wide"], ["Points", "number"], ["Won, drawn, lost", "wide"], ["LOS", "number"], ["Faults", "number wide"]],
    rows, { class: "standings" }), element("p", { class: "quiet keys" }, COLUMNS));
}

/** Warnings about the output of engines: illegal moves in PVs and the like, which cost no game. */
export function warnings(run) {
  const warnings = ({ name, search_warnings: counts }) => Object.entries(counts ?? {}).map(([kind, count]) =>
    [name, kind.replaceAll("-", " "), whole(count)]);
  const rows = run.results.entrants.flatMap(warnings);
  return rows.length === 0 ? null
    : card("Warnings about engine output", null, table([["Engine", "name"], ["Warning", ""], ["Number", "number"]], rows));
}

/** The two sides of a match: one number, and the test if there is one. */
export function hero(run) {
  const { entrants, sprt, pairings } = run.results;
  if (entrants.length !== 2 && !sprt) return null;
  const first = entrants[0];
  const [number, range] = estimate(first);
  const penta = pairings[0]?.penta ?? [0, 0, 0, 0, 0];
  const facts = [
    ["Won, drawn, lost", `${first.wins} – ${first.draws} – ${first.losses}`],
    ["Elo at any look", estimateAtAnyLook(first).join("")],
    ["LOS", percent(first.los)], ["Drawn", percent(first.drawn)], ["Drawn pairs", percent(first.draw_ratio)],
    ["Normalized Elo", `${signed(first.nelo)}${isKnown(first.nelo_error) ? ` ± ${fixed(first.nelo_error, 1)}` : ""}`],
    ["Pairs 0 ½ 1 1½ 2", penta.join(" ")],
    first.unpaired_games ? ["Unfinished pairs", whole(first.unpaired_games)] : null,
  ].filter(Boolean);
  return card(`${first.name} against ${entrants[1]?.name ?? "all"}`, null,
    element("div", { class: "hero" },
      element("div", {}, element("p", { class: "big" }, number, element("small", {}, `${range} Elo`))),
      element("dl", { class: "facts" }, facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
      sprt ? element("div", { class: "gauge" },
        element("p", { class: "quiet" }, `SPRT [${sprt.elo0}, ${sprt.elo1}] ${sprt.model} · LLR `, element("b", {}, signed(sprt.llr, 2)),
          ` · ${verdict(sprt)}`),
        estimateAfterTest(sprt) ? element("p", { class: "quiet" }, "Elo given the stopping rule: ", element("b", {}, estimateAfterTest(sprt)), ` · LOS ${percent(sprt.sprt_los)}`) : null,
        gauge(sprt.llr, sprt.lower, sprt.upper)) : null));
}

/** The candidates of a race, by complete rounds. */
export function race(run) {
  const { course } = run.results;
  if (course?.kind !== "race") return null;
  const rows = course.candidates.map((candidate) => [
    candidate.name,
    element("b", { class: candidate.verdict === "better" ? "text-won" : "" }, course.is_open && candidate.verdict === "undecided" ? "in the race" : candidate.verdict),
    signed(candidate.llr, 2),
    gauge(candidate.llr, course.lower, course.upper),
    whole(candidate.games),
    estimateAfterTest(candidate) ?? "–",
    candidate.estimate_games ? whole(candidate.estimate_games) : "–",
    estimateOfRace(candidate) ?? "–",
  ]);
  return card(`Race against ${course.base}`, element("span", { class: "quiet keys" }, `[${course.elo0}, ${course.elo1}] ${course.model}`), table(
    [["Candidate", "name"], ["Verdict", ""], ["LLR", "number"], ["Bounds", "wide"], ["Games before the verdict", "number"], ["Elo given the stopping rule", ""], ["Games after it", "number"], ["Unbiased Elo", ""]], rows),
    element("p", { class: "quiet" }, `Any candidate that is not better is accepted with a probability of ${percent(course.alpha)} at most. The unbiased Elo comes from games after the verdict.`));
}

/** The commits of a bisection, by complete rounds: those with games, and those that are likely. */
export function bisection(run) {
  const { course } = run.results;
  if (course?.kind !== "bisect") return null;
  const shown = course.commits.filter((commit) => commit.games > 0 || commit.probability >= 0.01);
  const rows = shown.map((commit) => [
    commit.name,
    element("b", { class: commit.name === course.commit ? "text-lost" : "" }, percent(commit.probability)),
    percent(commit.changed),
    whole(commit.games),
    commit.penta.join(", "),
  ]);
  return card(`Bisection after ${course.base}`, element("span", { class: "quiet keys" }, `${signed(course.elo, 1)} Elo, ${course.model}`), table(
    [["Commit", "name"], ["Probability", "number"], ["This or earlier", "number"], ["Games", "number"], ["Pairs (0, ½, 1, 1½, 2)", ""]], rows),
    element("p", { class: "quiet" }, `The search ends at a probability of ${percent(course.confidence)}. That no commit changed the strength has ${percent(course.no_change)}.`));
}

export function crosstable(run) {
  const { entrants, pairings } = run.results;
  if (entrants.length < 3) return null;
  const order = byRank(entrants);
  const index = new Map(entrants.map((entrant, place) => [entrant.name, place]));
  const cells = new Map();
  for (const pairing of pairings) {
    const [first, second] = [index.get(pairing.first), index.get(pairing.second)];
    cells.set(`${first} ${second}`, pairing);
    cells.set(`${second} ${first}`, { ...pairing, wins: pairing.losses, losses: pairing.wins, penta: pairing.penta.toReversed() });
  }
  const met = (one) => order.filter((other) => cells.has(`${one.index} ${other.index}`));
  // In a gauntlet only the challengers are columns, and points are theirs.
  const columns = order.filter((one) => met(one).length > 1 || order.every((other) => met(other).length <= 1));
  const isGauntlet = columns.length < order.length && !columns.some((one) => columns.some((other) => cells.has(`${one.index} ${other.index}`)));
  const rows = order.filter((one) => met(one).length > 0 && !(isGauntlet && columns.includes(one)));
  const cell = (row, column) => {
    if (row.index === column.index) return element("td", { class: "self" });
    const found = cells.get(`${row.index} ${column.index}`);
    if (!found || found.wins + found.draws + found.losses === 0) return element("td", { class: "quiet" }, found ? "–" : "");
    const points = found.wins + found.draws / 2;
    const all = found.wins + found.draws + found.losses;
    const style = points * 2 > all ? "text-won" : points * 2 < all ? "text-lost" : "";
    return element("td", {}, element("a", { class: `score ${style}`, href: `#/run/${run.id}/games?engine=${row.index}&against=${column.index}`, "data-focus": `cross ${row.index} ${column.index}` }, `${points} / ${all}`),
      element("small", {}, `+${found.wins} =${found.draws} −${found.losses}`), pentanomial(found.penta));
  };
  const view = isGauntlet ? "points of the engine above" : "points of the engine on the left";
  return card("Head to head", element("span", { class: "quiet keys" }, `${view}; bars: pairs of 0, ½, 1, 1½ and 2 points`),
    element("div", { class: "scroll" }, element("table", { class: "cross" },
      element("thead", {}, element("tr", {}, element("th", {}), columns.map(({ name }) => element("th", { scope: "col", class: "name" }, name)))),
      element("tbody", {}, rows.map((row) => element("tr", {}, element("th", { scope: "row", class: "name" }, row.name),
        columns.map((column) => (isGauntlet ? cell(column, row) : cell(row, column)))))))));
}

/** How games ended, the most frequent first; each leads to its games. */
export function endings(run) {
  const all = Object.entries(run.results.terminations).sort(([, first], [, second]) => second - first);
  const most = Math.max(1, ...all.map(([, count]) => count));
  const games = all.reduce((sum, [, count]) => sum + count, 0);
  return card("Terminations", null, all.length === 0 ? element("p", { class: "quiet" }, "No game is over yet.") :
    element("div", { class: "rows" }, all.map(([name, count]) =>
      element("a", { class: `row ${FAULTS.has(name) ? "fault" : ""}`, href: `#/run/${run.id}/games?ending=${encodeURIComponent(name)}`, "data-focus": name },
        element("span", {}, capitalized(name)),
        element("span", { class: "track" }, element("div", { "width%": (100 * count) / most })),
        element("span", { class: "number" }, `${whole(count)} `, element("span", { class: "quiet" }, `${Math.round((100 * count) / games)} %`))))));
}

export function engines(run) {
  const rows = run.results.entrants.map((entrant, index) => {
    const use = run.entrants[index] ?? {};
    const left = (seconds) => (isKnown(seconds) ? clock(1000 * seconds) : "–");
    return [entrant.name, use.clock ?? "", short(entrant.nps), fixed(entrant.depth, 1),
      entrant.seconds_per_move === null ? "–" : `${entrant.seconds_per_move.toFixed(3)} s`, left(use.mean_left_at_end), left(use.lowest_left),
      entrant.peak_memory_bytes ? `${short(entrant.peak_memory_bytes)}B` : "–"];
  });
  return card("Speed and clocks", null, table(
    [["Engine", "name"], ["Clock", "number"], ["nps", "number"], ["Depth", "number"], ["Time/move", "number"], ["Left at the end", "number"], ["Lowest", "number"], ["Memory", "number wide"]], rows));
}

/** Interval of reading curves and faults during a run, in milliseconds. */
const PACE = 2500;

/** The curves of the run: the Elo of one entrant, and the test. */
export class Curves {
  #chosen = 0;
  #known = "";
  #asked = 0;
  node = element("div", { class: "stack curves" });

  async show(run) {
    const known = `${run.id} ${run.results.games_finished} ${this.#chosen}`;
    const asChosen = this.#known.endsWith(` ${this.#chosen}`);
    if (known === this.#known || (asChosen && run.state === "running" && performance.now() - this.#asked < PACE)) return;
    [this.#known, this.#asked] = [known, performance.now()];
    const answer = await fetch(`/api/runs/${run.id}/curves?entrant=${this.#chosen}`).catch(() => null);
    if (!answer?.ok || known !== this.#known) return;
    const { elo, llr } = await answer.json();
    const { entrants, sprt } = run.results;
    const choice = entrants.length > 2 ? element("select", { "aria-label": "Engine", "data-focus": "curve", onchange: (event) => {
      this.#chosen = Number(event.target.value);
      this.show(run);
    } }, entrants.map(({ name }, index) => element("option", { value: index, selected: index === this.#chosen }, name))) : null;
    renew(this.node,
      card(entrants.length > 2 ? "Elo over games" : `Elo of ${entrants[0].name} over games`, choice,
        curve("Elo over games with its 95 % interval", elo, { unit: "Elo", height: 240 })),
      sprt ? card("SPRT", element("span", { class: "quiet keys" }, "log-likelihood ratio between its bounds"),
        curve("Log-likelihood ratio over games", llr, { unit: "LLR", digits: 1, least: 1, height: 190,
          bounds: [[sprt.upper, "upper", "H1"], [sprt.lower, "lower", "H0"]] })) : null);
  }
}

/** Number of faults that are shown at first. */
const FAULTS_SHOWN = 20;

/** Faults of engines, in games and between them. */
export class Faults {
  #known = -1;
  #asked = -Infinity;
  #run = null;
  #all = [];
  #total = 0;
  #shown = FAULTS_SHOWN;
  node = element("div", { class: "faults" });

  async show(run) {
    this.#run = run;
    if (run.edition === this.#known || (run.state === "running" && performance.now() - this.#asked < PACE)) return;
    [this.#known, this.#asked] = [run.edition, performance.now()];
    const answer = await fetch(`/api/runs/${run.id}/faults`).catch(() => null);
    if (!answer?.ok) return;
    ({ total: this.#total, faults: this.#all } = await answer.json());
    this.#draw();
  }

  #draw() {
    if (this.#total === 0) return void renew(this.node);
    const { id, results } = this.#run;
    const open = new Set([...this.node.querySelectorAll("details[open]")].map((node) => node.dataset.key));
    const line = (fault, index) => {
      const key = `${fault.game} ${this.#total - index}`;
      return transcript({ "data-key": key, open: open.has(key) },
        element("summary", { "data-focus": `fault ${key}` },
          fault.game ? element("a", { href: `#/run/${id}/games/${fault.game}` }, `Game ${fault.game}`) : "Between games",
          ": ", element("b", {}, results.entrants[fault.engine]?.name ?? "?"), ` ${fault.words}`),
        fault.transcript);
    };
    renew(this.node, card("Faults", element("span", { class: "quiet keys" }, "the latest first"),
      this.#all.slice(0, this.#shown).map(line), this.#rest()));
  }

  /** Link to the faults that are not shown. */
  #rest() {
    const more = this.#total - this.#shown;
    if (more <= 0) return null;
    if (this.#shown < this.#all.length) {
      const showAll = () => {
        this.#shown = this.#all.length;
        this.#draw();
      };
      return element("button", { class: "more", onclick: showAll, "data-focus": "more faults" }, `Show ${Math.min(more, this.#all.length - this.#shown)} more`);
    }
    return element("p", {}, element("a", { href: `#/run/${this.#run.id}/games?ending=fault`, "data-focus": "more faults" }, `All games with a fault`), ` (${whole(more)} faults are not shown here)`);
  }
}
