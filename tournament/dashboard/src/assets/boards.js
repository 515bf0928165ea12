// Games in progress: boards whose clocks tick here between the moves that the server sends.

import { Board } from "./board.js";
import { element, renew } from "./elements.js";
import { advantage, clock, line, score, short } from "./words.js";

/** A clock is low below this number of milliseconds, and below this share of its maximum in the game. */
const [LOW, LOW_SHARE] = [10000, 0.2];

/** One board with its players. */
class Table {
  #board = new Board();
  #white = element("div", {});
  #bar = element("div", { class: "advantage", "aria-hidden": "true" }, this.#white);
  #players = [0, 1].map(() => ({ clock: element("span", { class: "clock" }), told: element("div", { class: "told" }), who: element("span", { class: "who" }) }));
  #foot = element("div", { class: "mini" });
  #state = null;
  #at = 0;
  #most = 0;

  constructor() {
    const player = (color) => element("div", { class: "player" },
      element("span", { class: `color ${color === 1 ? "black" : "white"}`, title: color === 1 ? "Black" : "White" }),
      this.#players[color].who, this.#players[color].clock, this.#players[color].told);
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
    state.sides.forEach((side, color) => {
      this.#players[color].who.textContent = names[color];
      const facts = [side.depth ? `depth ${side.depth}` : "", side.nps ? `${short(side.nps)} n/s` : side.nodes ? `${short(side.nodes)} nodes` : ""];
      renew(this.#players[color].told, element("b", { title: "Evaluation in White’s view" }, score(side)), " ", facts.filter(Boolean).join(" · "), " ", line(side.line, side.line_ply));
    });
    const mover = state.sides[state.turn === "white" ? 0 : 1];
    const told = [mover, ...state.sides].find((side) => side.cp !== null || side.mate !== null) ?? {};
    this.#white.style.height = `${100 * advantage(told)}%`;
    renew(this.#foot, element("span", {}, `Game ${state.number} · scores in White’s view`),
      state.result ? element("a", { class: "result", href: `#/run/${run?.id ?? 0}/games/${state.number}`, "data-focus": `board ${state.number}` }, state.result)
        : element("span", {}, line(state.moves.slice(-4), state.ply - Math.min(4, state.moves.length))));
    this.tick();
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
  }

  close() {
    clearInterval(this.timer);
  }
}
