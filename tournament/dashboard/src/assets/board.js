// A board: a drawing of a FEN, with the last move marked. Pieces slide from one position to the next. It draws marks and arrows
// for those who play on it, and says which square lies under a pointer.

import { drawing } from "./elements.js";
import { piece } from "./pieces.js";

const FILES = "abcdefgh";

/** Square names to letters of pieces. */
function placement(fen) {
  const pieces = new Map();
  fen.split(" ")[0].split("/").forEach((row, index) => {
    let file = 0;
    for (const letter of row) {
      if (letter >= "1" && letter <= "8") file += Number(letter);
      else pieces.set(`${FILES[file++]}${8 - index}`, letter);
    }
  });
  return pieces;
}

const KINDS = [["k", "king"], ["q", "queen"], ["r", "rook"], ["b", "bishop"], ["n", "knight"], ["p", "pawn"]];

/** A position in words: the side to move, the last move, and where the pieces of both sides stand. */
export function positionInWords(fen, from, to) {
  const pieces = [...placement(fen)];
  const side = (toCase) => KINDS.map(([kind, name]) => {
    const squares = pieces.filter(([, letter]) => letter === toCase(kind)).map(([square]) => square);
    return squares.length === 0 ? null : `${name}${squares.length > 1 ? "s" : ""} ${squares.join(" ")}`;
  }).filter(Boolean).join(", ");
  const turn = fen.split(" ")[1] === "b" ? "Black" : "White";
  return [`${turn} to move`, from && to ? `last move ${from} to ${to}` : null,
    `White: ${side((kind) => kind.toUpperCase())}`, `Black: ${side((kind) => kind)}`].filter(Boolean).join(". ");
}

/** How far two squares are apart, in king's steps. */
const distance = (first, second) =>
  Math.max(Math.abs(FILES.indexOf(first[0]) - FILES.indexOf(second[0])), Math.abs(Number(first[1]) - Number(second[1])));

export class Board {
  #marks = drawing("g", {});
  #men = drawing("g", {});
  #names = drawing("g", { "aria-hidden": "true" });
  #hints = drawing("g", { "aria-hidden": "true" });
  #targets = drawing("g", { "aria-hidden": "true" });
  #arrows = drawing("g", { class: "arrows", "aria-hidden": "true" });
  #pieces = new Map();
  #state = null;
  flipped = false;

  constructor() {
    const dark = [];
    for (let rank = 0; rank < 8; rank++) {
      for (let file = 0; file < 8; file++) {
        if ((rank + file) % 2 === 1) dark.push(`M${file * 100} ${rank * 100}h100v100h-100z`);
      }
    }
    this.node = drawing("svg", { class: "board", viewBox: "0 0 800 800", role: "img" },
      drawing("rect", { class: "light", width: 800, height: 800 }),
      drawing("path", { class: "dark", d: dark.join("") }), this.#marks, this.#hints, this.#names, this.#men, this.#targets, this.#arrows);
    this.#drawNames();
  }

  /** Shows a position, the move that led to it, and whether the side to move stands in check (by its last move's sign). */
  show(fen, from, to, inCheck) {
    const state = [fen, from, to, inCheck].join("|");
    if (state === this.#state) return;
    this.#state = state;
    this.fen = fen;
    this.#move(placement(fen));
    const king = inCheck ? this.#kingToMove(fen) : null;
    this.#marks.replaceChildren(...[[from, "last"], [to, "last"], [king, "check"]].filter(([square]) => square)
      .map(([square, style]) => drawing("rect", { class: style, ...this.#place(square), width: 100, height: 100 })));
    this.node.setAttribute("aria-label", positionInWords(fen, from, to));
  }

  flip() {
    this.flipped = !this.flipped;
    for (const [square, node] of this.#pieces) this.#put(node, square);
    this.#drawNames();
    const fen = this.fen;
    const [, from, to, inCheck] = (this.#state ?? "").split("|");
    this.#state = null;
    if (fen) this.show(fen, from, to, inCheck === "true");
  }

  /** Marks squares, [square, class] each; a class "target" is a dot, or a ring around a piece. */
  mark(squares) {
    const is = (wanted) => squares.filter(([, style]) => (style === "target") === wanted).map(([square, style]) => ({ ...this.#place(square), style, isTaken: this.#pieces.has(square) }));
    this.#hints.replaceChildren(...is(false).map(({ x, y, style }) => drawing("rect", { class: style, x: x + 4, y: y + 4, width: 92, height: 92, rx: 6 })));
    this.#targets.replaceChildren(...is(true).map(({ x, y, isTaken }) => drawing("circle", { class: isTaken ? "target ring" : "target", cx: x + 50, cy: y + 50, r: isTaken ? 44 : 15 })));
  }

  /** Draws arrows, [from, to, class] each. */
  point(arrows) {
    this.#arrows.replaceChildren(...arrows.filter(([from, to]) => from && to && from !== to).map(([from, to, style]) => {
      const [start, end] = [this.#place(from), this.#place(to)];
      const length = Math.hypot(end.x - start.x, end.y - start.y);
      const turn = Math.atan2(end.y - start.y, end.x - start.x) * 180 / Math.PI;
      return drawing("path", { class: `arrow ${style}`, transform: `translate(${start.x + 50} ${start.y + 50}) rotate(${turn})`,
        d: `M18 -8H${length - 42}V-26L${length - 6} 0L${length - 42} 26V8H18Z` });
    }));
  }

  /** The square under a pointer, or none. */
  square({ clientX, clientY }) {
    const box = this.node.getBoundingClientRect();
    const [column, row] = [Math.floor((clientX - box.left) / box.width * 8), Math.floor((clientY - box.top) / box.height * 8)];
    if (column < 0 || column > 7 || row < 0 || row > 7) return null;
    return this.flipped ? `${FILES[7 - column]}${row + 1}` : `${FILES[column]}${8 - row}`;
  }

  /** The letter of the piece on a square. */
  letter(square) {
    return this.#pieces.get(square)?.dataset.letter;
  }

  /** Lets the piece of a square hang at a pointer. */
  drag(square, { clientX, clientY }) {
    const node = this.#pieces.get(square);
    if (!node) return;
    const box = this.node.getBoundingClientRect();
    const [x, y] = [(clientX - box.left) / box.width * 800 - 50, (clientY - box.top) / box.height * 800 - 50];
    node.classList.add("dragged");
    node.style.transform = `translate(${x}px, ${y}px)`;
    if (node !== this.#men.lastChild) this.#men.append(node);
  }

  /** Puts the piece of a square down on this or another one, for as long as the position is the same. */
  drop(square, on = square) {
    const node = this.#pieces.get(square);
    if (!node) return;
    this.#put(node, on);
    requestAnimationFrame(() => node.classList.remove("dragged"));
  }

  #kingToMove(fen) {
    const king = fen.split(" ")[1] === "w" ? "K" : "k";
    return [...placement(fen)].find(([, letter]) => letter === king)?.[0];
  }

  #place(square) {
    const [file, rank] = [FILES.indexOf(square[0]), Number(square[1]) - 1];
    return this.flipped ? { x: (7 - file) * 100, y: rank * 100 } : { x: file * 100, y: (7 - rank) * 100 };
  }

  #put(node, square) {
    const { x, y } = this.#place(square);
    node.style.transform = `translate(${x}px, ${y}px)`;
  }

  /** Pieces that stay are left alone; of those that left, the nearest of its kind goes to each square that has a new one. */
  #move(wanted) {
    const old = this.#pieces;
    const kept = new Map();
    const left = [];
    for (const [square, node] of old) {
      if (wanted.get(square) === node.dataset.letter) {
        this.#put(node, square);
        kept.set(square, node);
      } else left.push([square, node]);
    }
    for (const [square, letter] of wanted) {
      if (kept.has(square)) continue;
      const candidates = left.filter(([, node]) => node.dataset.letter === letter);
      candidates.sort(([first], [second]) => distance(first, square) - distance(second, square));
      let node = candidates[0]?.[1];
      if (node) left.splice(left.findIndex(([, other]) => other === node), 1);
      else {
        node = piece(letter);
        node.dataset.letter = letter;
      }
      // The piece that moves is drawn above the others.
      this.#men.append(node);
      this.#put(node, square);
      kept.set(square, node);
    }
    left.forEach(([, node]) => node.remove());
    this.#pieces = kept;
  }

  #drawNames() {
    const names = [];
    for (let index = 0; index < 8; index++) {
      const file = this.flipped ? FILES[7 - index] : FILES[index];
      const rank = this.flipped ? index + 1 : 8 - index;
      names.push(drawing("text", { x: index * 100 + 94, y: 794, "text-anchor": "end", class: index % 2 === 0 ? "on-dark" : null }, file));
      names.push(drawing("text", { x: 5, y: index * 100 + 7, "dominant-baseline": "hanging", class: index % 2 === 1 ? "on-dark" : null }, String(rank)));
    }
    this.#names.replaceChildren(...names);
  }
}
