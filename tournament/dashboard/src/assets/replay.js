// Replay of a finished game: board, moves, evaluations of both engines, PGN and FEN.

import { Board } from "./board.js";
import { evaluations } from "./charts.js";
import { allowed, send } from "./control.js";
import { card, drawing, element, renew, transcript } from "./elements.js";
import { MoveList, pliesBefore } from "./moves.js";
import { shared, variation } from "./variations.js";
import { capitalized, clock, duration, line, score, short } from "./words.js";

/** The signs of the buttons, in a square of 24. */
export const SIGNS = { first: "M6 5V19M18 5L9 12L18 19Z", back: "M15 5L8 12L15 19", on: "M9 5L16 12L9 19", last: "M18 5V19M6 5L15 12L6 19Z", flip: "M8 20V5M4 9L8 5L12 9M16 4V19M12 15L16 19L20 15" };

/** Milliseconds between moves that play by themselves. */
const PACE = 700;

export class Replay {
  #game;
  #names;
  #board = new Board();
  #ply = 0;
  #caption = element("div", { class: "move-line", "aria-live": "polite" });
  #moves = new MoveList();
  #chart;
  #timer = null;
  #play = element("button", { onclick: () => this.toggle(), title: "Play (space)" }, "Play");
  #clocks = [element("span", { class: "clock" }), element("span", { class: "clock" })];
  #store;
  #run;
  #command = element("code", {});
  #engine;
  #begun = element("span", { class: "quiet", role: "status" });
  #copied = element("span", { class: "quiet", role: "status" });

  constructor(run, game) {
    this.#game = game;
    this.#store = run.store;
    this.#run = run.id;
    this.#names = [game.white, game.black].map((index) => run.results.entrants[index]?.name ?? "?");
    const engines = [["", "The engine of the other side"], ...run.results.entrants.map(({ name }) => [name, name]), ["builtin", "The built-in engine"]];
    this.#engine = element("select", { "aria-label": "Engine to play against", onchange: () => this.go(this.#ply) }, engines.map(([value, text]) => element("option", { value }, text)));
    this.#drawMoves();
    this.#chart = evaluations(this.#colored(), this.#names, { onPick: (ply) => this.go(ply) });
    const player = (color) => element("div", { class: "player" },
      element("span", { class: `color ${color === 1 ? "black" : "white"}` }), element("span", { class: "who" }, this.#names[color]), this.#clocks[color]);
    const button = (sign, title, action) => element("button", { title, "aria-label": title, onclick: action },
      drawing("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, drawing("path", { d: SIGNS[sign] })));
    const step = (by) => () => this.go(this.#ply + by);
    const board = element("section", { class: "card board-card" }, element("div", { class: "table" }, player(1), this.#board.node, player(0)),
      element("div", { class: "controls" },
        button("first", "First position (Home)", () => this.go(0)), button("back", "Back (left arrow)", step(-1)), this.#play,
        button("on", "On (right arrow)", step(1)), button("last", "Last position (End)", () => this.go(Infinity)),
        button("flip", "Flip the board (f)", () => this.flip())),
      this.#caption);
    this.node = element("div", {},
      element("a", { class: "back", href: `#/run/${run.id}/games` }, "← All games"),
      element("div", { class: "replay game" }, this.#loss(), board, element("div", { class: "stack" }, this.#facts(run), this.#fault(run),
        card("Evaluation, White’s view", null, this.#chart.node,
          element("p", { class: "legend" }, ["whites", "blacks"].map((style, color) => element("span", {}, element("i", { class: style }), this.#names[color])))),
        card("Moves", null, this.#moves.node),
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

  #offset() {
    return pliesBefore(this.#game.fen);
  }

  /** The engine that plays on: the chosen one, otherwise that of the side not to move. */
  #opponent() {
    return this.#engine.value || this.#names[this.#position().fen.split(" ")[1] === "b" ? 0 : 1];
  }

  /** The command that plays on from the position on the board. */
  #onward() {
    const word = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
    return `smalt-tournament play ${word(this.#store)} --game ${this.#game.number} --ply ${this.#ply} --engine ${word(this.#opponent())}`;
  }

  /** Starts a page that plays on from the position on the board, and opens it. */
  async #playOn() {
    this.#begun.textContent = "The engine starts …";
    const { done, words } = await send(`/api/runs/${this.#run}/play`, { game: this.#game.number, ply: this.#ply, engine: this.#opponent() });
    this.#begun.textContent = done ? "" : words;
    if (done) location.href = `${location.protocol}//${location.hostname}:${words}`;
  }

  /** The button of those who may start engines here. */
  #playButton() {
    const node = element("div", { class: "actions" }, this.#engine);
    allowed().then((commands) => commands && node.append(element("button", { onclick: () => this.#playOn() }, "Play"), this.#begun));
    return node;
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
        element("a", { class: "button", href: pgn, download: `game-${game.number}.pgn` }, "Download PGN"), this.#copied),
      element("details", { class: "onward" }, element("summary", {}, "Play on from here"),
        this.#playButton(),
        element("p", {}, "On the machine with the run: ", this.#command, " ", copy("command", async () => this.#onward()))));
  }

  #fault(run) {
    const { fault } = this.#game;
    if (!fault) return null;
    const name = run.results.entrants[fault.engine]?.name ?? "?";
    return card("Fault", null, element("p", { class: "text-lost" }, element("b", {}, name), ` ${fault.words}`),
      transcript({ open: true }, element("summary", {}, "Transcript, last lines"), fault.transcript));
  }

  /** Why the loser lost: the losing move, with the evaluations before and after it and the PVs of both engines. */
  #loss() {
    const { plies, result, fault, losing_ply: index } = this.#game;
    const loser = { "1-0": 1, "0-1": 0 }[result];
    if (fault || loser === undefined) return null;
    if (index === null) return element("p", { class: "card quiet loss" }, "No single move lost this game by the evaluations of both engines.");
    const [move, answer, at] = [plies[index], plies[index + 1], this.#offset() + index];
    const [own, other] = [move.line ?? [], answer?.line ?? []];
    const course = (before, after) => `${score(before ?? {}) || "?"} → ${score(after ?? {}) || "?"}`;
    const before = index > 0 ? plies[index - 1].fen : this.#game.fen;
    const quoted = (text) => `"${text.replaceAll('"', "'")}"`;
    const epd = `${before.split(" ").slice(0, 4).join(" ")} am ${move.san}; id ${quoted(`${this.#store} game ${this.#game.number}`)}; c0 ${quoted(`${this.#names[loser]} lost by it`)};`;
    const node = card(`Why ${this.#names[loser]} lost`, null,
      element("p", {}, element("b", {}, line([move.san], at)), ` · ${this.#names[1 - loser]} ${course(plies[index - 1], answer)} · ${this.#names[loser]} ${course(move, plies[index + 2])}`,
        element("span", { class: "quiet" }, " (evaluations before and after it, White’s view)")),
      own.length > 1 ? element("p", { class: "quiet" }, this.#names[loser], ": ", variation(own, at, [move.san, ...other])) : null,
      other.length > 0 ? element("p", { class: "quiet" }, this.#names[1 - loser], ": ", variation(other, at + 1, own.slice(1))) : null,
      element("div", { class: "actions" }, element("button", { onclick: () => this.present(index + 1) }, "Show the move"),
        element("button", { onclick: () => this.#copy("EPD", async () => epd) }, "Copy as EPD"), this.#keeping(epd)));
    node.classList.add("loss");
    return node;
  }

  /** Goes to the position after this number of plies, with the board in view. */
  present(ply) {
    this.go(ply);
    this.node.querySelector(".replay").scrollIntoView({ block: "start" });
  }

  /** A button that adds a position to the EPD file of the server, for those who may. */
  #keeping(epd) {
    const answer = element("span", { class: "quiet", role: "status" });
    const keep = async () => {
      answer.textContent = (await send(`/api/runs/${this.#run}/positions`, { epd })).words;
    };
    const node = element("span", { class: "keeping" });
    allowed().then((commands) => commands && renew(node,
      element("button", { onclick: keep, title: commands.suite ?? "A file beside the store" }, "Add to the EPD file"), " ", answer));
    return node;
  }

  async #copy(name, text) {
    const copied = await text().then((value) => copyText(value)).catch(() => false);
    this.#copied.textContent = copied ? `${name} copied` : "The browser refused";
  }

  #position() {
    return this.#ply === 0 ? { fen: this.#game.fen } : this.#game.plies[this.#ply - 1];
  }

  #drawMoves() {
    this.#moves.draw(this.#game.plies, this.#offset(), {
      look: (ply) => ({ style: ply.ms === undefined ? "book" : null, title: ply.ms === undefined ? "Book move" : null, note: score(ply) }),
      onPick: (ply) => this.go(ply),
    });
  }

  /** Goes to the position after this number of plies. */
  go(ply) {
    const { plies } = this.#game;
    this.#ply = Math.max(0, Math.min(plies.length, ply));
    const { fen, from, to, san } = this.#position();
    this.#board.show(fen, from, to, /[+#]$/.test(san ?? ""));
    this.#chart.place(this.#ply + (this.#blackBegins() && this.#ply > 0 ? 1 : 0));
    this.#moves.go(this.#ply);
    this.#command.textContent = this.#onward();
    this.#tell();
    if (this.#ply === plies.length) this.stop();
  }

  #tell() {
    const move = this.#ply > 0 ? this.#game.plies[this.#ply - 1] : null;
    const at = this.#offset() + this.#ply - 1;
    const facts = move?.ms === undefined ? [] : [score(move) ? `${score(move)} (White’s view)` : "", move.depth ? `depth ${move.depth}` : "", move.nodes ? `${short(move.nodes)} nodes` : "", `${(move.ms / 1000).toFixed(2)} s`];
    renew(this.#caption, element("b", {}, move ? line([move.san], at) : "The opening"), " ",
      move ? (move.ms === undefined ? "from the book" : facts.filter(Boolean).join(" · ")) : "",
      this.#variations(move, at));
    for (const color of [0, 1]) {
      const own = this.#game.plies.slice(0, this.#ply).filter((_, index) => (this.#offset() + index) % 2 === color).at(-1);
      this.#clocks[color].textContent = own?.left_ms === undefined || own.left_ms === null ? "" : clock(own.left_ms);
    }
  }

  /** What the engine that moved thought, what the other one had expected, and where the two part. */
  #variations(move, at) {
    this.#board.point((move?.arrows ?? []).slice(1).map(([from, to], index) => [from, to, index === 0 ? "best" : "other"]).reverse());
    if (!move?.line?.length) return null;
    const before = this.#ply > 1 ? this.#game.plies[this.#ply - 2] : null;
    const other = this.#names[(at + 1) % 2];
    const expected = before?.line?.[0] === before?.san ? before?.line?.slice(1) ?? [] : [];
    const guess = expected.length === 0 ? null
      : shared([move.san], expected) === 1 ? element("span", {}, ` as ${other} expected`) : element("span", {}, ` where ${other} expected ${line([expected[0]], at)}`);
    return [guess, element("div", {}, variation(move.line, at, expected.length > 0 ? expected : null)),
      expected.length > 1 ? element("div", {}, `${other}: `, variation(expected, at, move.line)) : null];
  }

  flip() {
    this.#board.flip();
    this.#tell();
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
export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true);
  const area = element("textarea", { readonly: true });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}
