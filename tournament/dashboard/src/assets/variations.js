// Principal variations of two engines side by side: common moves and divergence.

import { element } from "./elements.js";
import { line } from "./words.js";

/** How many moves two variations from one position have in common. */
export function shared(first, second) {
  const parting = first.findIndex((move, index) => move !== second[index]);
  return parting < 0 ? first.length : parting;
}

/** A variation that is played after `ply` plies; from the move on at which it parts from the other one it stands out. */
export function variation(moves, ply, other) {
  const same = other ? shared(moves, other) : moves.length;
  return element("span", { class: "variation" }, line(moves.slice(0, same), ply), same > 0 && same < moves.length ? " " : "",
    same < moves.length ? element("b", { class: "parting", title: "Variations diverge here" }, line(moves.slice(same), ply + same)) : null);
}

/** The rest of a variation that began at `start`, from `ply` on; null if the game went another way before. `played`: the moves from `start`. */
export function rest(moves, start, ply, played) {
  const passed = ply - start;
  return passed >= 0 && shared(played.slice(0, passed), moves) === Math.min(passed, played.length) && moves.length > passed ? moves.slice(passed) : null;
}
