// The moves of a game as a list of buttons, and where in the game its plies stand.

import { element, renew } from "./elements.js";

/** Plies before a game that starts from this FEN, counted from a first move of White's. */
export const pliesBefore = (fen) => 2 * (Number(fen.split(" ")[5] ?? 1) - 1) + (fen.split(" ")[1] === "b" ? 1 : 0);

export class MoveList {
  #buttons = [];
  #current = 0;
  node = element("div", { class: "moves", role: "list", "aria-label": "Moves" });

  /** Draws the moves; `look` gives the class, title and note of one, and `onPick` gets the number of plies up to the chosen one. */
  draw(plies, before, { look, onPick }) {
    const nodes = [];
    this.#buttons = plies.map((ply, index) => {
      const at = before + index;
      if (at % 2 === 0 || index === 0) {
        nodes.push(element("span", { class: "no" }, `${Math.floor(at / 2) + 1}.`));
        if (at % 2 === 1) nodes.push(element("span", {}, "…"));
      }
      const { style, title, note } = look(ply, index);
      const button = element("button", { class: style, title, onclick: () => onPick(index + 1), tabindex: -1 }, ply.san, element("small", {}, note));
      nodes.push(button);
      return button;
    });
    renew(this.node, nodes);
    this.go(Math.min(this.#current, plies.length));
  }

  /** Marks the last of this number of plies. */
  go(ply) {
    this.#buttons.forEach((button) => button.removeAttribute("aria-current"));
    this.#current = ply;
    const button = this.#buttons[ply - 1];
    button?.setAttribute("aria-current", "true");
    this.node.scrollTop = button ? button.offsetTop - this.node.clientHeight / 2 : 0;
  }

  /** The button of the last of this number of plies. */
  button(ply) {
    return this.#buttons[ply - 1];
  }
}
