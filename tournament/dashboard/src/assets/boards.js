// Games in progress: boards whose clocks tick here between the moves that the server sends.

import { Board } from "./board.js";
import { element, renew } from "./elements.js";
import { rest, shared, variation } from "./variations.js";
import { advantage, clock, line, score, short } from "./words.js";

/** A clock is low below this number of milliseconds, and below this share of its maximum in the game. */
const [LOW, LOW_SHARE] = [10000, 0.2];

/** One board with its players. */
class Table {
  #board = new Board();
  #white = element("div", {});
  #bar = element("div", { class: "advantage", "aria-hidden": "true" }, this.#white);
  #players = [0, 1].map(() => ({ clock: element("span", { class: "clock" }), info: element("div", { class: "info" }), who: element("span", { class: "who" }) }));
  #foot = element("div", { class: "mini" });
  #state = null;
  #at = 0;
  #most = 0;

  constructor() {
    const player = (color) => element("div", { class: "player" },
      element("span", { class: `color ${color === 1 ? "black" : "white"}`, title: color === 1 ? "Black" : "White" }),
      this.#players[color].who, this.#players[color].clock, this.#players[color].info);
    this.node = element("article", { class: "card table" }, player(1),
      element("div", { class: "field" }, this.#bar, this.#board.node), player(0), this.#foot);
  }

  show(state, run) {
    if (state.number !== this.#state?.number) this.#most = 0;
    this.#most = Math.max(this.#most, ...state.sides.map((side) => side.left_ms ?? 0));
    this.#state = state;
    this.#at = performance.now();
    const names = [state.white, state.black].map((index) => run?.results?.entrants[index]?.name ?? "?");
    this.node.setAttribute("aria-label", `Game ${state.number}: ${names[0]} against ${names[1]}`);
    const last = state.moves.at(-1) ?? "";
    this.#board.show(state.fen, state.from, state.to, /[+#]$/.test(last));
    const [next, other] = state.turn === "white" ? state.sides : state.sides.toReversed();
    const own = next.line_ply === state.ply ? next : null;
    this.#board.point((state.result ? [] : own ? own.arrows : other.line_ply === state.ply - 1 ? other.arrows.slice(1) : []).slice(0, 2)
      .map(([from, to], index) => [from, to, index === 0 ? "best" : "other"]).reverse());
    state.sides.forEach((side, color) => {
      const played = state.moves.slice(Math.max(0, side.line_ply - state.first_ply));
      const against = state.sides[1 - color];
      const [expected, reply] = [side.line[1], played[1]];
      const guess = expected && reply && side.line[0] === played[0] ? (expected === reply ? "predicted reply hit" : `predicted reply missed (${expected})`) : "";
      this.#players[color].who.textContent = names[color];
      const facts = [guess, side.depth ? `depth ${side.depth}` : "", side.nps ? `${short(side.nps)} nps` : side.nodes ? `${short(side.nodes)} nodes` : ""];
      renew(this.#players[color].info,
        element("div", { class: "search" }, element("b", { title: "Evaluation in White’s view" }, score(side)), " ", facts.filter(Boolean).join(" · ")),
        element("div", {}, variation(side.line, side.line_ply, this.#comparable(against, side, state))));
    });
    const mover = state.sides[state.turn === "white" ? 0 : 1];
    const latest = [mover, ...state.sides].find((side) => side.cp !== null || side.mate !== null) ?? {};
    this.#white.style.height = `${100 * advantage(latest)}%`;
    const facts = [`Game ${state.number}`, state.opening, state.tables && `tablebases: ${state.tables.replace("1/2-1/2", "½–½").replace("-", "–")}`, this.#parting(state) ?? "scores in White’s view"];
    renew(this.#foot, element("span", {}, facts.filter(Boolean).join(" · ")),
      state.result ? element("a", { class: "result", href: `#/run/${run?.id ?? 0}/games/${state.number}`, "data-focus": `board ${state.number}` }, state.result)
        : element("span", {}, line(state.moves.slice(-4), state.ply - Math.min(4, state.moves.length))));
    this.tick();
  }

  /** Where the variations of both engines part, in words. */
  #parting({ sides: [white, black], ...state }) {
    const [early, late] = white.line_ply <= black.line_ply ? [white, black] : [black, white];
    const expected = this.#comparable(early, late, state);
    if (!expected || late.line.length === 0) return null;
    const same = shared(late.line, expected);
    if (same === late.line.length || same === expected.length) return `PVs agree: ${line(late.line.slice(0, Math.min(2, same)), late.line_ply)}`;
    return `PVs diverge at ${line([late.line[same]], late.line_ply + same)} (${expected[same]})`;
  }

  /** What the other engine's variation says from where this one begins, if it says anything. */
  #comparable(other, side, state) {
    const played = (start) => state.moves.slice(Math.max(0, start - state.first_ply));
    if (other.line_ply <= side.line_ply) return rest(other.line, other.line_ply, side.line_ply, played(other.line_ply));
    const later = rest(side.line, side.line_ply, other.line_ply, played(side.line_ply));
    return later && [...side.line.slice(0, other.line_ply - side.line_ply), ...other.line];
  }

  tick() {
    const state = this.#state;
    if (!state) return;
    const passed = performance.now() - this.#at + state.thinks_ms;
    state.sides.forEach((side, color) => {
      const thinks = !state.result && color === (state.turn === "white" ? 0 : 1);
      const node = this.#players[color].clock;
      const left = side.left_ms === null ? null : Math.max(0, side.left_ms - (thinks ? passed : 0));
      // Without a clock of the game, how long this move takes, or the last one took.
      node.textContent = left === null ? `${((thinks ? passed : side.took_ms) / 1000).toFixed(1)} s` : clock(left);
      node.classList.toggle("ticks", thinks);
      node.classList.toggle("low", left !== null && left < Math.min(LOW, LOW_SHARE * this.#most));
    });
  }
}

export class Boards {
  #tables = new Map();
  #latest = new Map();
  #most;
  node = element("div", { class: "boards" });

  /** Shows at most this number of boards. */
  constructor(most = Infinity) {
    this.#most = most;
    this.timer = setInterval(() => this.node.isConnected && [...this.#tables.values()].forEach((table) => table.tick()), 100);
  }

  get count() {
    return this.#tables.size;
  }

  show({ count, boards }, run) {
    for (const board of boards) this.#latest.set(board.slot, board);
    if (count === 0) this.#latest.clear();
    const shown = [...this.#latest.keys()].sort((first, second) => first - second).slice(0, this.#most);
    for (const slot of [...this.#tables.keys()].filter((slot) => !shown.includes(slot))) {
      this.#tables.get(slot).node.remove();
      this.#tables.delete(slot);
    }
    for (const slot of shown) {
      if (!this.#tables.has(slot)) {
        const table = new Table();
        this.#tables.set(slot, table);
        this.node.append(table.node);
        table.show(this.#latest.get(slot), run);
      }
    }
    for (const board of boards) this.#tables.get(board.slot)?.show(board, run);
    this.node.classList.toggle("few", shown.length < 3);
    this.node.classList.toggle("many", shown.length > 6);
  }

  close() {
    clearInterval(this.timer);
  }
}
