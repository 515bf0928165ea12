// Shows the view of the address: `#/`, `#/run/0`, `#/run/0/boards`, `#/run/0/games?…`, `#/run/0/games/17?ply=30`.
// A run is followed by server-sent events while the page can be seen.

import { Boards } from "./boards.js";
import { Control } from "./control.js";
import { element, renew } from "./elements.js";
import { Games } from "./games.js";
import { Curves, Faults, bisection, crosstable, endings, engines, glance, hero, race, standings, warnings } from "./overview.js";
import { head, silence } from "./head.js";
import { Notifier } from "./notify.js";
import { Queue } from "./queue.js";
import { Replay } from "./replay.js";
import { mark, showRuns } from "./runs.js";
import { isLengthOpen } from "./words.js";

const [headNode, tabs, main] = ["head", "tabs", "main"].map((id) => document.getElementById(id));
const listed = element("div", { class: "listed" });
const VIEWS = [["", "Overview"], ["boards", "Boards"], ["games", "Games"]];

/** Interval of reading the list of runs and of looking for an ended server, in milliseconds. */
const [LIST_PACE, RETURN_PACE] = [3000, 10000];

let many = false;
/** The queue of the server; `false` once it is known that it has none. */
let queue = null;
let run = null;
let boards = { count: 0, boards: [] };
let view = null;
let source = null;
let timer = null;
let connected = true;
let ended = false;
const notifier = new Notifier(() => (place().id === null ? list() : drawHead()));

function place() {
  const [path, query] = location.hash.replace(/^#/, "").split("?");
  const parts = path.split("/").filter(Boolean);
  const id = parts[0] === "run" && /^\d+$/.test(parts[1] ?? "") ? Number(parts[1]) : null;
  return { id, name: parts[2] ?? "", number: /^\d+$/.test(parts[3] ?? "") ? Number(parts[3]) : null, query: new URLSearchParams(query) };
}

const ELSEWHERE = "This run is played on other machines, whose boards are not shown. Finished games are under Games.";

/** The overview: everything at a glance. */
class Overview {
  #cards = Object.fromEntries(["glance", "hero", "race", "bisection", "standings-card", "cross-card", "endings", "engines", "warnings"].map((name) => [name, element("div", { class: name })]));
  #curves = new Curves();
  #faults = new Faults();
  #control = new Control();
  #boards = new Boards(2);
  #known = new Map();
  #elsewhere = element("p", { class: "card quiet", hidden: true }, ELSEWHERE);
  #live = element("section", { class: "aside", "aria-label": "Games in progress" }, this.#elsewhere, this.#boards.node);
  node = element("div", { class: "stack" }, this.#control.link, this.#cards.glance, this.#cards.hero, this.#cards.race, this.#cards.bisection,
    element("div", { class: "grid two" },
      element("div", { class: "stack" }, this.#cards["standings-card"], this.#curves.node, this.#cards["cross-card"]),
      element("div", { class: "stack" }, this.#live, this.#cards.endings, this.#faults.node, this.#cards.warnings)),
    this.#cards.engines, this.#control.node);

  show() {
    this.#draw("glance", glance(run));
    this.#draw("hero", hero(run));
    this.#draw("race", race(run));
    this.#draw("bisection", bisection(run));
    this.#draw("standings-card", standings(run));
    this.#draw("cross-card", crosstable(run));
    this.#draw("endings", endings(run));
    this.#draw("engines", engines(run));
    this.#draw("warnings", warnings(run));
    this.#curves.show(run);
    this.#faults.show(run);
    this.#control.show(run);
    this.showBoards({ count: boards.count, boards: [] });
  }

  /** Draws only changes. */
  #draw(name, node) {
    const text = node?.outerHTML ?? "";
    if (this.#known.get(name) === text) return;
    this.#known.set(name, text);
    renew(this.#cards[name], node);
    this.#cards[name].hidden = !node;
  }

  showBoards(news) {
    this.#boards.show(news, run);
    this.#elsewhere.hidden = !(run.is_elsewhere && run.state === "running");
    this.#live.hidden = this.#boards.count === 0 && this.#elsewhere.hidden;
  }

  close() {
    this.#boards.close();
  }
}

class AllBoards {
  #boards = new Boards();
  #empty = element("p", { class: "empty" });
  node = element("div", {}, this.#empty, this.#boards.node);

  show() {
    this.showBoards({ count: boards.count, boards: [] });
  }

  showBoards(news) {
    this.#boards.show(news, run);
    this.#empty.textContent = run.is_elsewhere && run.state === "running" ? ELSEWHERE : "No game is in progress.";
    this.#empty.hidden = this.#boards.count > 0;
  }

  close() {
    this.#boards.close();
  }
}

class GameList {
  #games = new Games(run, place().query, (query) => {
    const text = query.toString();
    location.hash = `#/run/${run.id}/games${text ? `?${text}` : ""}`;
  });
  node = this.#games.node;

  show() {
    this.#games.show(run);
  }
}

class OneGame {
  #number;
  #ply;
  #replay = null;
  #known = -1;
  node = element("div", {}, element("p", { class: "empty" }, "Loading…"));

  /** `ply`: the number of plies whose position is shown, or null. */
  constructor(number, ply) {
    this.#number = number;
    this.#ply = ply;
  }

  /** Asks for the game, and again when games have been added or the server did not answer. */
  async show() {
    const { id, store, results: { games_finished: finished } } = run;
    if (this.#replay || finished === this.#known) return;
    this.#known = finished;
    const answer = await fetch(`/api/runs/${id}/games/${this.#number}`).catch(() => null);
    if (answer === null) {
      this.#known = -1;
      return void renew(this.node, silence({ store }));
    }
    if (!answer.ok) return void renew(this.node,
      element("p", { class: "empty" }, `Game ${this.#number} is not finished or does not exist. `, element("a", { href: `#/run/${id}/games` }, "All games")));
    const game = await answer.json();
    if (this.#replay || run?.id !== id) return;
    this.#replay = new Replay(run, game);
    renew(this.node, this.#replay.node);
    if (this.#ply !== null) this.#replay.present(this.#ply);
  }

  key(key) {
    return this.#replay?.key(key) ?? false;
  }

  close() {
    this.#replay?.close();
  }
}

/** Draws the view of the address anew. */
function open() {
  view?.close?.();
  view = null;
  if (!run?.results) {
    renew(main, element("p", { class: run?.problem ? "notice" : "empty" }, run?.problem ?? "Reading the run…"));
    return;
  }
  const { name, number, query } = place();
  if (name === "boards") view = new AllBoards();
  else if (name === "games" && number !== null) view = new OneGame(number, query.has("ply") ? Number(query.get("ply")) || 0 : null);
  else if (name === "games") view = new GameList();
  else view = new Overview();
  view.name = name;
  renew(main, view.node);
  view.show();
  view.showBoards?.(boards);
  drawTabs();
}

function drawTabs() {
  const { id, name } = place();
  renew(tabs, id === null ? [] : VIEWS.map(([view, text]) =>
    element("a", { href: `#/run/${id}${view ? `/${view}` : ""}`, "aria-current": view === name ? "page" : null, "data-focus": `tab ${view}` }, text)));
}

function drawHead() {
  if (run) {
    head(headNode, run, { connected, ended, many, extra: notifier.button(run) });
    const { results } = run;
    const done = results ? `${results.games_finished}${isLengthOpen(results) ? "" : `/${results.games_planned}`} ` : "";
    document.title = `${done}${run.name || run.store} – Smalt`;
  }
}

function follow(id) {
  source?.close();
  source = new EventSource(`/api/runs/${id}/events`);
  source.addEventListener("run", (event) => {
    const news = JSON.parse(event.data);
    if (news === null) return;
    setConnected(true);
    take(news);
  });
  source.addEventListener("boards", (event) => {
    const news = JSON.parse(event.data);
    const latest = new Map(boards.boards.map((board) => [board.slot, board]));
    news.boards.forEach((board) => latest.set(board.slot, board));
    boards = { count: news.count, boards: news.count === 0 ? [] : [...latest.values()] };
    view?.showBoards?.(news);
  });
  source.addEventListener("end", () => {
    leave();
    ended = true;
    drawHead();
    timer = setTimeout(() => follow(id), RETURN_PACE);
  });
  source.addEventListener("open", () => setConnected(true));
  source.addEventListener("error", () => {
    setConnected(false);
    // A refusal ends the source for good; a lost connection is mended by the browser.
    if (source?.readyState === EventSource.CLOSED) inquire(id);
    else if (ended) {
      leave();
      timer = setTimeout(() => follow(id), RETURN_PACE);
    }
  });
}

/** The run cannot be followed: it does not exist, the token has changed, or there are too many followers; then it is polled. */
async function inquire(id) {
  leave();
  const answer = await fetch(`/api/runs/${id}`).catch(() => null);
  if (place().id !== id || source) return;
  if (answer?.status === 401) return location.reload();
  if (answer?.status === 404) return showMissing(id);
  if (answer?.ok) take(await answer.json());
  timer = setTimeout(() => follow(id), LIST_PACE);
}

/** Shows what is new of the run. */
function take(news) {
  const isFirst = !run?.results || run.id !== news.id;
  run = news;
  drawHead();
  notifier.watch(run);
  if (isFirst) open();
  else view?.show();
}

function showMissing(id) {
  view?.close?.();
  [run, view] = [null, null];
  document.title = "No such run – Smalt";
  renew(headNode, element("div", { class: "title" }, mark(), element("h1", { class: "names" }, "No such run")));
  renew(tabs);
  renew(main, element("p", { class: "empty" }, `There is no run ${id} here. `, element("a", { href: "#/" }, "All runs")));
}

function setConnected(now) {
  if (now === connected && !(now && ended)) return;
  connected = now;
  ended &&= !now;
  drawHead();
}

function leave() {
  source?.close();
  source = null;
  clearTimeout(timer);
}

/** Asks for the jobs of the queue, unless the server has none. */
async function askQueue() {
  if (queue === false) return null;
  const answer = await fetch("/api/queue").catch(() => null);
  const found = answer?.ok ? await answer.json() : null;
  if (answer?.ok && found === null) queue = false;
  return found;
}

async function list() {
  const [answer, found] = await Promise.all([fetch("/api/runs").catch(() => null), askQueue()]);
  if (place().id !== null) return;
  if (answer?.status === 401) return location.reload();
  if (answer?.ok) {
    const runs = await answer.json();
    many = runs.length > 1 || Boolean(found);
    if (!many) return location.replace("#/run/0");
    document.title = "Runs – Smalt";
    renew(headNode, element("div", { class: "title" }, mark(), element("h1", { class: "names" }, "Runs"),
      notifier.button({ state: runs.some(({ state }) => state === "running") ? "running" : "" })));
    renew(tabs);
    runs.forEach((one) => notifier.watch(one));
    showRuns(listed, runs);
    if (found) {
      queue ??= new Queue(list);
      queue.show(found.jobs);
    }
    const nodes = queue ? [queue.node, listed] : [listed];
    if (nodes.some((node) => node.parentNode !== main)) renew(main, nodes);
  }
  clearTimeout(timer);
  timer = setTimeout(list, LIST_PACE);
}

/** Shows the view of the address. */
function arrive() {
  leave();
  const { id } = place();
  if (id === null) {
    view?.close?.();
    [run, view] = [null, null];
    boards = { count: 0, boards: [] };
    list();
    return;
  }
  if (run?.id !== id) {
    run = null;
    boards = { count: 0, boards: [] };
    open();
  } else {
    open();
  }
  follow(id);
}

window.addEventListener("hashchange", () => {
  const { id } = place();
  if (id !== null && id === run?.id && source) {
    open();
    window.scrollTo(0, 0);
  } else {
    arrive();
  }
});

// A hidden page costs neither the server nor a phone anything, unless it notifies.
document.addEventListener("visibilitychange", () => {
  const { id } = place();
  if (document.hidden && notifier.isOn && (source || id === null)) return;
  if (document.hidden) leave();
  else if (id !== null && id === run?.id) follow(id);
  else arrive();
});

document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
  const onButton = event.target.tagName === "BUTTON" || event.target.tagName === "A" || event.target.tagName === "SUMMARY";
  if (!(onButton && event.key === " ") && view?.key?.(event.key)) return event.preventDefault();
  const { id } = place();
  const chosen = VIEWS[Number(event.key) - 1];
  if (id !== null && chosen) location.hash = `#/run/${id}${chosen[0] ? `/${chosen[0]}` : ""}`;
  else if (event.key === "0" && many) location.hash = "#/";
});

Promise.all([fetch("/api/runs").then((answer) => (answer.ok ? answer.json() : [])), askQueue()]).then(([runs, found]) => {
  many = runs.length > 1 || Boolean(found);
  drawHead();
}).catch(() => {});
arrive();
