// A board on which moves are made: by drag, by tapping two squares, or by arrow keys and Enter. It knows the legal moves that the
// server sent and nothing else of the rules. Out of turn a move is a premove, which is sent as soon as it is legal.

import { Board } from "./board.js";
import { drawing, element, renew } from "./elements.js";
import { piece } from "./pieces.js";

const FILES = "abcdefgh";
const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Pixels that a pointer moves before a tap becomes a drag. */
const DRAG = 5;

const isWhite = (letter) => letter === letter.toUpperCase();

/** "white knight", or "empty". */
export const pieceName = (letter) => (letter ? `${isWhite(letter) ? "white" : "black"} ${NAMES[letter.toLowerCase()]}` : "empty");

export class PlayBoard {
  board = new Board();
  #state = { legal: [], colors: [], premoves: null };
  #selected = null;
  #premove = null;
  #cursor = null;
  #press = null;
  #byKeys = false;
  #cancelChoice = () => {};
  #chooser = element("div", { class: "chooser", role: "dialog", "aria-label": "Promote to", hidden: true });
  #onMove;
  #onSay;

  /** `onMove` gets a legal move and returns whether the server accepted it; `onSay` gets text for screen readers. */
  constructor({ onMove, onSay }) {
    this.#onMove = onMove;
    this.#onSay = onSay;
    const { node } = this.board;
    node.setAttribute("tabindex", "0");
    node.setAttribute("role", "application");
    node.setAttribute("aria-roledescription", "chess board");
    node.addEventListener("pointerdown", (event) => this.#down(event));
    node.addEventListener("pointermove", (event) => this.#drag(event));
    node.addEventListener("pointerup", (event) => this.#up(event));
    node.addEventListener("pointercancel", () => this.#cancel());
    node.addEventListener("keydown", (event) => this.#key(event));
    // After a click the arrow keys go through the game, as everywhere on the page.
    node.addEventListener("focus", () => { this.#byKeys = node.matches(":focus-visible"); });
    node.addEventListener("blur", () => { this.#cursor = null; this.#mark(); });
    this.node = element("div", { class: "playing board-holder" }, node, this.#chooser);
  }

  /**
   * Shows a position. `legal`: the moves that can be made in it, `colors`: the sides for which, `premoves`: the color that may
   * make a premove, or null.
   */
  show({ fen, from, to, check, legal, colors, premoves }) {
    const isOther = fen !== this.board.fen;
    this.#state = { legal, colors, premoves };
    this.board.show(fen, from, to, check);
    if (isOther) {
      this.#closeChooser();
      if (this.#selected && !this.#own(this.#selected)) this.#selected = null;
      if (this.#press && !this.#own(this.#press.square)) this.#press = null;
    }
    if (this.#premove) this.#tryPremove();
    this.#mark();
  }

  flip() {
    this.board.flip();
    this.#mark();
  }

  /** Takes the premove and the selection back. */
  forget() {
    [this.#premove, this.#selected] = [null, null];
    this.#mark();
  }

  get premove() {
    return this.#premove;
  }

  /** Whether a piece may be moved, or moved in advance. */
  #own(square) {
    const letter = this.board.letter(square);
    if (!letter) return false;
    const color = isWhite(letter) ? "white" : "black";
    return this.#state.colors.includes(color) || this.#state.premoves === color;
  }

  #moves(from, to) {
    return this.#state.legal.filter((move) => move.from === from && (to === undefined || move.to.includes(to)));
  }

  #mark() {
    const marks = [];
    if (this.#premove) marks.push([this.#premove.from, "premove"], [this.#premove.to, "premove"]);
    if (this.#selected) {
      marks.push([this.#selected, "selected"]);
      const targets = new Set(this.#moves(this.#selected).map((move) => move.to[0]));
      targets.forEach((square) => marks.push([square, "target"]));
    }
    if (this.#cursor) marks.push([this.#cursor, "cursor"]);
    this.board.mark(marks);
  }

  #down(event) {
    if (event.button !== 0) return this.forget();
    const square = this.board.square(event);
    if (!square) return;
    this.#cursor = null;
    if (this.#premove) return this.forget();
    const wasSelected = this.#selected;
    if (wasSelected && wasSelected !== square && this.#give(wasSelected, square)) return;
    this.#selected = this.#own(square) ? square : null;
    if (this.#selected) {
      this.board.node.setPointerCapture(event.pointerId);
      this.#press = { square, x: event.clientX, y: event.clientY, isDrag: false, wasSelected: wasSelected === square };
    }
    this.#mark();
  }

  #drag(event) {
    const press = this.#press;
    if (!press) return;
    press.isDrag ||= Math.hypot(event.clientX - press.x, event.clientY - press.y) > DRAG;
    if (press.isDrag) this.board.drag(press.square, event);
  }

  #up(event) {
    const press = this.#press;
    this.#press = null;
    if (!press) return;
    const square = this.board.square(event);
    if (press.isDrag) {
      if (!square || square === press.square || !this.#give(press.square, square)) this.board.drop(press.square);
    } else if (press.wasSelected) {
      this.#selected = null;
    }
    this.#mark();
  }

  #cancel() {
    if (this.#press) this.board.drop(this.#press.square);
    this.#press = null;
  }

  /** Makes the move between two squares, or a premove; false if there is none. */
  #give(from, to) {
    const letter = this.board.letter(from);
    if (letter && this.#state.premoves === (isWhite(letter) ? "white" : "black")) {
      this.#premove = { from, to };
      this.#selected = null;
      this.board.drop(from);
      this.#onSay(`Premove ${from} ${to}`);
      this.#mark();
      return true;
    }
    const moves = this.#moves(from, to);
    if (moves.length === 0) return false;
    this.#selected = null;
    this.board.drop(from, to);
    if (moves.length > 1) this.#choose(from, to, moves);
    else this.#send(moves[0], from);
    this.#mark();
    return true;
  }

  async #send(move, from) {
    const { fen } = this.board;
    const isTaken = await this.#onMove(move);
    if (!isTaken && this.board.fen === fen) this.board.drop(from);
  }

  #tryPremove() {
    const { from, to } = this.#premove;
    const letter = this.board.letter(from);
    const color = letter && (isWhite(letter) ? "white" : "black");
    if (!letter) return this.#losePremove();
    if (!this.#state.colors.includes(color)) return;
    const moves = this.#moves(from, to);
    const move = moves.find(({ uci }) => uci.length === 4 || uci.endsWith("q"));
    if (!move) return this.#losePremove();
    this.#premove = null;
    this.#send(move, from);
  }

  #losePremove() {
    this.#premove = null;
    this.#onSay("The premove is not possible");
  }

  #choose(from, to, moves) {
    const letters = ["q", "n", "r", "b"].map((letter) => [letter, moves.find(({ uci }) => uci.endsWith(letter))]).filter(([, move]) => move);
    const white = to[1] === "8";
    const close = (move) => {
      this.#closeChooser();
      this.board.node.focus({ preventScroll: true });
      if (move) this.#send(move, from);
      else this.board.drop(from);
    };
    const buttons = letters.map(([letter, move]) => element("button", { title: NAMES[letter], "aria-label": NAMES[letter], onclick: () => close(move) },
      drawing("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, piece(white ? letter.toUpperCase() : letter))));
    const column = this.board.flipped ? 7 - FILES.indexOf(to[0]) : FILES.indexOf(to[0]);
    const isTop = white !== this.board.flipped;
    this.#chooser.style.left = `${column * 12.5}%`;
    this.#chooser.style.top = isTop ? "0" : "auto";
    this.#chooser.style.bottom = isTop ? "auto" : "0";
    this.#chooser.onkeydown = (event) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") this.#cancelChoice();
      else if (step) buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length].focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    renew(this.#chooser, buttons);
    this.#chooser.hidden = false;
    this.#cancelChoice = () => close(null);
    // After the press that made the move, which moves the focus to the board.
    setTimeout(() => buttons[0].focus({ preventScroll: true }));
  }

  #closeChooser() {
    this.#chooser.hidden = true;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step && this.#byKeys) {
      const [file, rank] = step.map((by) => (this.board.flipped ? -by : by));
      const [column, row] = this.#cursor ? [FILES.indexOf(this.#cursor[0]) + file, Number(this.#cursor[1]) + rank] : [4, this.board.flipped ? 7 : 2];
      this.#cursor = `${FILES[Math.min(7, Math.max(0, column))]}${Math.min(8, Math.max(1, row))}`;
      this.#onSay(`${this.#cursor}, ${pieceName(this.board.letter(this.#cursor))}`);
    } else if ((event.key === "Enter" || event.key === " ") && this.#cursor) {
      const square = this.#cursor;
      if (!(this.#selected && this.#selected !== square && this.#give(this.#selected, square))) {
        this.#selected = this.#own(square) && this.#selected !== square ? square : null;
        if (this.#selected) this.#onSay(`${square} selected`);
      }
    } else if (event.key === "Escape") {
      if (!this.#chooser.hidden) this.#cancelChoice();
      this.forget();
    } else return;
    event.preventDefault();
    event.stopPropagation();
    this.#mark();
  }
}
