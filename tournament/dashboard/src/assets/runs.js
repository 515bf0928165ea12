// All runs that are served: a card each.

import { gauge, resultBar } from "./charts.js";
import { drawing, element, renew } from "./elements.js";
import { duration, estimate, gamesText, isOpenEnded, moment, progress, stateOf, verdict } from "./words.js";

/** The sign of the house. */
export const mark = () => drawing("svg", { class: "mark", viewBox: "0 0 100 100", "aria-hidden": "true" },
  drawing("rect", { width: 100, height: 100, rx: 22, fill: "#2b4bb3" }),
  drawing("g", { fill: "#fff" },
    drawing("path", { d: "M33 73C33 63 40 58 46 50C42 52 37 52 33 55C30 58 28 61 24 60C19 59 17 54 19 50L29 36C31 30 34 27 38 25L37 15L46 21C62 22 74 35 75 54C75.500 62 75 68 73 73Z" }),
    drawing("rect", { x: 24, y: 75, width: 52, height: 10, rx: 4 })),
  drawing("circle", { cx: 38, cy: 36, r: 3, fill: "#2b4bb3" }));

function runCard(run) {
  const { results } = run;
  const done = results?.games_finished ?? 0;
  const first = results?.entrants[0];
  const [number, range] = first ? estimate(first) : ["", ""];
  const [state, words] = stateOf(run);
  const title = results?.entrants.length === 2 ? results.entrants.map(({ name }) => name).join(" – ") : run.name || run.store;
  return element("a", { class: "card", href: `#/run/${run.id}`, "data-focus": `run ${run.id}` },
    element("div", { class: "mini" }, element("span", { class: "quiet" }, run.store), element("span", { class: `pill ${state}` }, words)),
    element("h2", {}, title),
    run.problem ? element("p", { class: "notice" }, run.problem) : null,
    first && done > 0 ? element("p", { class: "estimate" }, element("b", {}, `${first.name} ${number}`), element("span", {}, `${range} Elo`)) : null,
    first && done > 0 ? resultBar(first.wins, first.draws, first.losses) : null,
    results?.sprt ? element("div", {}, gauge(results.sprt.llr, results.sprt.lower, results.sprt.upper), element("p", { class: "quiet" }, verdict(results.sprt))) : null,
    isOpenEnded(results) ? null : element("div", { class: "bar" }, element("div", { "width%": 100 * progress(results) })),
    element("p", { class: "mini" }, element("span", {}, `${gamesText(results)} games`),
      element("span", {}, run.state === "running" && run.seconds_left !== null ? `${duration(run.seconds_left)} left`
        : run.session_started_ms ? moment(run.session_started_ms) : "")));
}

export function showRuns(node, runs) {
  renew(node, element("div", { class: "runs" }, runs.map(runCard)));
}
