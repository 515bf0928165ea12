// Replay of a finished game: board, moves, evaluations of both engines, PGN and FEN.

import { Board } from "./board.js";
import { evaluations } from "./charts.js";
import { card, drawing, element, renew, transcript } from "./elements.js";
import { capitalized, clock, duration, line, score, short } from "./words.js";

/** The signs of the buttons, in a square of 24. */
const SIGNS = { first: "M6 5V19M18 5L9 12L18 19Z", back: "M15 5L8 12L15 19", on: "M9 5L16 12L9 19", last: "M18 5V19M6 5L15 12L6 19Z", flip: "M8 20V5M4 9L8 5L12 9M16 4V19M12 15L16 19L20 15" };

/** Milliseconds between moves that play by themselves. */
const PACE = 700;

export class Replay {
  #game;
  #names;
  #board = new Board();
  #ply = 0;
  #told = element("div", { class: "told-line", "aria-live": "polite" });
  #moves = element("div", { class: "moves", role: "list", "aria-label": "Moves" });
  #buttons = [];
  #chart;
  #timer = null;
  #play = element("button", { onclick: () => this.toggle(), title: "Play (space)" }, "Play");
  #clocks = [element("span", { class: "clock" }), element("span", { class: "clock" })];
  #copied = element("span", { class: "quiet", role: "status" });

  constructor(run, game) {
    this.#game = game;
    this.#names = [game.white, game.black].map((index) => run.results.entrants[index]?.name ?? "?");
    this.#drawMoves();
    this.#chart = evaluations(this.#colored(), this.#names, { onPick: (ply) => this.go(ply) });
    const player = (color) => element("div", { class: "player" },
      element("span", { class: `color ${color === 1 ? "black" : "white"}` }), element("span", { class: "who" }, this.#names[color]), this.#clocks[color]);
    const button = (sign, title, action) => element("button", { title, "aria-label": title, onclick: action },
      drawing("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, drawing("path", { d: SIGNS[sign] })));
    const step = (by) => () => this.go(this.#ply + by);
    const board = element("section", { class: "card" }, element("div", { class: "table" }, player(1), this.#board.node, player(0)),
      element("div", { class: "controls" },
        button("first", "First position (Home)", () => this.go(0)), button("back", "Back (left arrow)", step(-1)), this.#play,
        button("on", "On (right arrow)", step(1)), button("last", "Last position (End)", () => this.go(Infinity)),
        button("flip", "Flip the board (f)", () => this.flip())),
      this.#told);
    this.node = element("div", {},
      element("a", { class: "back", href: `#/run/${run.id}/games` }, "← All games"),
      element("div", { class: "replay" }, board, element("div", { class: "stack" }, this.#facts(run), this.#fault(run),
        card("Evaluation, White’s view", null, this.#chart.node,
          element("p", { class: "legend" }, ["whites", "blacks"].map((style, color) => element("span", {}, element("i", { class: style }), this.#names[color])))),
        card("Moves", null, this.#moves),
        element("p", { class: "keys" }, element("kbd", {}, "←"), " ", element("kbd", {}, "→"), " move, ", element("kbd", {}, "Home"), " ", element("kbd", {}, "End"),
          " first and last, ", element("kbd", {}, "space"), " play, ", element("kbd", {}, "f"), " flip"))));
    this.go(0);
  }

  /** The graph's first line is that of the player of White, also where Black moves first. */
  #colored() {
    const plies = this.#game.plies.map((ply) => ({ cp: ply.cp, mate: ply.mate }));
    return this.#blackBegins() ? [{}, ...plies] : plies;
  }

  #blackBegins() {
    return this.#game.fen.split(" ")[1] === "b";
  }

  /** The ply, counted from a first move of White's, at which the game began. */
  #offset() {
    return 2 * (Number(this.#game.fen.split(" ")[5] ?? 1) - 1) + (this.#blackBegins() ? 1 : 0);
  }

  #facts(run) {
    const game = this.#game;
    const opening = [game.opening.eco, game.opening.name].filter(Boolean).join(" ") || `Opening ${game.opening.number}`;
    const copy = (name, text) => element("button", { onclick: () => this.#copy(name, text) }, `Copy ${name}`);
    const pgn = `/api/runs/${run.id}/games/${game.number}/pgn`;
    return card(`Game ${game.number}`, element("b", { class: "score" }, game.result.replace("1/2-1/2", "½–½").replace("-", "–")),
      element("p", {}, game.sentence),
      element("p", { class: "quiet" }, `Round ${game.round} · ${Math.ceil(game.plies.length / 2)} moves · ${duration(game.seconds)} · `,
        element("a", { href: `#/run/${run.id}/games?opening=${game.opening.number}` }, opening)),
      element("div", { class: "actions" },
        copy("PGN", async () => (await fetch(pgn)).text()), copy("FEN", async () => this.#position().fen),
        element("a", { class: "button", href: pgn, download: `game-${game.number}.pgn` }, "Download PGN"), this.#copied));
  }

  #fault(run) {
    const { fault } = this.#game;
    if (!fault) return null;
    const name = run.results.entrants[fault.engine]?.name ?? "?";
    return card("Fault", null, element("p", { class: "text-lost" }, element("b", {}, name), ` ${fault.words}`),
      transcript({ open: true }, element("summary", {}, "Transcript, last lines"), fault.transcript));
  }

  async #copy(name, text) {
    const copied = await text().then((value) => copyText(value)).catch(() => false);
    this.#copied.textContent = copied ? `${name} copied` : "The browser refused";
  }

  #position() {
    return this.#ply === 0 ? { fen: this.#game.fen } : this.#game.plies[this.#ply - 1];
  }

  #drawMoves() {
    const offset = this.#offset();
    const nodes = [];
    this.#game.plies.forEach((ply, index) => {
      const at = offset + index;
      if (at % 2 === 0 || index === 0) {
        nodes.push(element("span", { class: "no" }, `${Math.floor(at / 2) + 1}.`));
        if (at % 2 === 1) nodes.push(element("span", {}, "…"));
      }
      const isBook = ply.ms === undefined;
      const button = element("button", { class: isBook ? "book" : null, onclick: () => this.go(index + 1), tabindex: -1, title: isBook ? "Book move" : null },
        ply.san, element("small", {}, score(ply)));
      this.#buttons.push(button);
      nodes.push(button);
    });
    renew(this.#moves, nodes);
  }

  /** Goes to the position after this number of plies. */
  go(ply) {
    const { plies } = this.#game;
    this.#buttons[this.#ply - 1]?.removeAttribute("aria-current");
    this.#ply = Math.max(0, Math.min(plies.length, ply));
    const { fen, from, to, san } = this.#position();
    this.#board.show(fen, from, to, /[+#]$/.test(san ?? ""));
    this.#chart.place(this.#ply + (this.#blackBegins() && this.#ply > 0 ? 1 : 0));
    const button = this.#buttons[this.#ply - 1];
    if (button) {
      button.setAttribute("aria-current", "true");
      this.#moves.scrollTop = button.offsetTop - this.#moves.clientHeight / 2;
    } else {
      this.#moves.scrollTop = 0;
    }
    this.#tell();
    if (this.#ply === plies.length) this.stop();
  }

  #tell() {
    const move = this.#ply > 0 ? this.#game.plies[this.#ply - 1] : null;
    const at = this.#offset() + this.#ply - 1;
    const facts = move?.ms === undefined ? [] : [score(move) ? `${score(move)} (White’s view)` : "", move.depth ? `depth ${move.depth}` : "", move.nodes ? `${short(move.nodes)} nodes` : "", `${(move.ms / 1000).toFixed(2)} s`];
    renew(this.#told, element("b", {}, move ? line([move.san], at) : "The opening"), " ",
      move ? (move.ms === undefined ? "from the book" : facts.filter(Boolean).join(" · ")) : "",
      move?.line?.length ? element("div", {}, line(move.line, at)) : null);
    for (const color of [0, 1]) {
      const own = this.#game.plies.slice(0, this.#ply).filter((_, index) => (this.#offset() + index) % 2 === color).at(-1);
      this.#clocks[color].textContent = own?.left_ms === undefined || own.left_ms === null ? "" : clock(own.left_ms);
    }
  }

  flip() {
    this.#board.flip();
  }

  toggle() {
    if (this.#timer !== null) return this.stop();
    if (this.#ply === this.#game.plies.length) this.go(0);
    this.#timer = setInterval(() => this.go(this.#ply + 1), PACE);
    this.#play.textContent = "Pause";
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.#play.textContent = "Play";
  }

  /** Whether a key meant something here. */
  key(key) {
    const actions = {
      ArrowLeft: () => this.go(this.#ply - 1), ArrowRight: () => this.go(this.#ply + 1), Home: () => this.go(0), End: () => this.go(Infinity),
      " ": () => this.toggle(), f: () => this.flip(),
    };
    actions[key]?.();
    return key in actions;
  }

  close() {
    this.stop();
  }
}

/** Copies also without HTTPS, where browsers have no clipboard API. */
async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true);
  const area = element("textarea", { readonly: true });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}
