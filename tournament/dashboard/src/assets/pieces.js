// The pieces, drawn for this page: shapes in a square of 100, the last ones on top. `line` and `spot` are details within.

import { drawing } from "./elements.js";

const BASE = ["rect", { x: 24, y: 77, width: 52, height: 11, rx: 4 }];
const path = (d, style) => ["path", { d, class: style }];
const ball = (cx, cy, r, style) => ["circle", { cx, cy, r, class: style }];
const bar = (x, y, width, height) => ["rect", { x, y, width, height, rx: height / 2 }];

const SHAPES = {
  p: [
    path("M42 50C42 61 36 69 31 77H69C64 69 58 61 58 50Z"),
    ball(50, 33, 12.5),
    bar(36, 44, 28, 8),
    ["rect", { x: 27, y: 77, width: 46, height: 11, rx: 4 }],
  ],
  n: [
    path("M33 77C33 66 40 60 46 51C42 53 37 54 33 57C30 60 28 63 24 62C18 61 16 55 19 51L29 37C31 31 34 27 38 25L37 14L47 21C63 22 75 35 76 55C76.5 64 76 71 73 77Z"),
    path("M52 29C61 33 66.500 43 67 57", "line"),
    ball(37.5, 37.5, 2.8, "spot"),
    ball(24.5, 54, 1.8, "spot"),
    BASE,
  ],
  b: [
    path("M42 64C42 70 36 74 31 77H69C64 74 58 70 58 64Z"),
    path("M50 24C39 31 32 42 35 52C37 58 42 60 50 60C58 60 63 58 65 52C68 42 61 31 50 24Z"),
    path("M55 33L47 46", "line"),
    ball(50, 18.5, 5.5),
    bar(36, 58, 28, 8),
    BASE,
  ],
  r: [
    path("M36 43H64L67 72H33Z"),
    path("M28 19H38V26H45V19H55V26H62V19H72V37L65 44H35L28 37Z"),
    path("M37 44H63", "line"),
    bar(29, 69, 42, 9),
    BASE,
  ],
  q: [
    path("M29 67L19 35L35 54L34 27L46 52L50 23L54 52L66 27L65 54L81 35L71 67Z"),
    ball(19, 32, 4.6), ball(34, 24, 4.6), ball(50, 19.500, 4.6), ball(66, 24, 4.6), ball(81, 32, 4.6),
    path("M29 67C41 62 59 62 71 67L70 77H30Z"),
    path("M33 71.500C44 68 56 68 67 71.500", "line"),
    BASE,
  ],
  k: [
    path("M50 24V10M43 16H57", "cross"),
    path("M50 51C44 41 42 32 50 25C58 32 56 41 50 51Z"),
    path("M31 67C20 60 16 47 25 40C34 34 45 39 50 51C55 39 66 34 75 40C84 47 80 60 69 67Z"),
    path("M31 67C42 62 58 62 69 67L70 77H30Z"),
    path("M34 71.500C44 68 56 68 66 71.500", "line"),
    BASE,
  ],
};

/** A piece by its letter in a FEN. */
export function piece(letter) {
  const kind = letter.toLowerCase();
  const color = letter === kind ? "black" : "white";
  const shapes = SHAPES[kind].map(([name, attributes]) => drawing(name, attributes));
  return drawing("g", { class: `piece ${color} ${kind}` }, drawing("g", { transform: "translate(-4 -4) scale(1.08)" }, shapes));
}
