// The head of all views of a run: title, state, progress, and notices.

import { element, renew } from "./elements.js";
import { mark } from "./runs.js";
import { capitalized, duration, gamesText, isOpenEnded, moment, progress, signed, stateOf, whole } from "./words.js";

/** The command that serves this run again. */
const command = (run) => element("code", {}, `smalt-tournament serve ${run.store}`);

/** Milliseconds after the start of a run from which a session counts as a resume. */
const RESUMED = 60000;

/** Notice that the server does not answer. */
export const silence = (run) => element("p", { class: "empty" }, "The server does not answer. If it has ended, start it again with ", command(run), ".");

/** `connected`: the server answers; `ended`: it said that it ends; `many`: there are other runs to go back to; `extra`: a control beside the state. */
export function head(node, run, { connected, ended, many, extra }) {
  const { results } = run;
  const runs = run.state === "running";
  const sprt = results?.sprt;
  // The number of games of an undecided test is unknown: its progress is that of the LLR to the nearer bound.
  const isOpen = sprt?.verdict === "continue";
  const share = 100 * (isOpen ? Math.min(1, sprt.llr < 0 ? sprt.llr / sprt.lower : sprt.llr / sprt.upper) : progress(results));
  const isTold = runs && run.seconds_left !== null;
  const facts = [
    ["Games", gamesText(results)],
    isOpen ? ["LLR", `${signed(sprt.llr, 2)} (${signed(sprt.lower, 2)}, ${signed(sprt.upper, 2)})`] : null,
    isOpen ? ["Games to go if H0 / if H1", `${whole(sprt.games_left_h0)} / ${whole(sprt.games_left_h1)}`] : null,
    results?.games_left_out ? ["Skipped", whole(results.games_left_out)] : null,
    run.games_per_hour ? ["Games/h", whole(run.games_per_hour)] : null,
    isTold ? ["Left", duration(run.seconds_left)] : null,
    isTold ? ["Done at", moment(Date.now() + 1000 * run.seconds_left)] : null,
    run.slots && runs ? ["Concurrency", whole(run.slots)] : null,
    run.started_ms ? ["Started", moment(run.started_ms)] : null,
    run.session_started_ms - run.started_ms > RESUMED ? ["Resumed", moment(run.session_started_ms)] : null,
  ];
  const state = connected || ended ? stateOf(run) : ["problem", "No connection"];
  renew(node,
    element("div", { class: "title" }, many ? element("a", { href: "#/", "aria-label": "All runs", "data-focus": "runs" }, mark()) : mark(),
      element("div", { class: "names" }, element("h1", {}, run.name || run.store),
        element("p", { class: "quiet" }, `${results ? `${capitalized(results.format)} · ` : ""}${run.store}`)),
      extra, element("span", { class: `pill ${state[0]}`, role: "status" }, state[1])),
    notices(run, ended),
    isOpenEnded(results) ? null : element("div", { class: "bar", role: "progressbar", "aria-label": isOpen ? "LLR towards its nearer bound" : "Games played", "aria-valuenow": Math.round(share), "aria-valuemin": 0, "aria-valuemax": 100 },
      element("div", { "width%": share })),
    element("dl", { class: "facts" }, facts.filter(Boolean).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))));
}

function notices(run, ended) {
  const out = run.results?.entrants.filter((entrant) => entrant.out) ?? [];
  return [
    ended ? element("p", { class: "notice", role: "status" }, runOver(run), " To open its games, start it again with ", command(run), ".") : null,
    run.problem ? element("p", { class: "notice" }, run.problem) : null,
    out.map(({ name, out: why, withdrawn }) => element("p", { class: "notice" }, element("b", {}, name), withdrawn ? ` ${why}.` : ` is disqualified: it ${why}.`)),
  ];
}

const runOver = (run) => (run.state === "running" ? "The server has ended; this is the last state that it sent." : "The run and its server have ended; this is the final state.");
