// Charts, drawn at the width they have, so that their letters can be read on a phone.

import { drawing, element } from "./elements.js";
import { isKnown, signed, whole } from "./words.js";

const MARGIN = { left: 44, right: 12, top: 24, bottom: 24 };

/** Round steps for an axis: about this number. */
function ticks(low, high, about) {
  const rough = (high - low) / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? power;
  const all = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) all.push(Math.abs(at) < step * 1e-9 ? 0 : at);
  return all;
}

/** Draws again whenever the width of its box changes. */
function fitted(label, height, draw) {
  const svg = drawing("svg", { class: "chart", height, role: "img", "aria-label": label });
  let width = 0;
  const again = () => {
    const now = Math.round(svg.parentElement?.clientWidth ?? 0);
    const inner = svg.parentElement ? now - 2 * parseFloat(getComputedStyle(svg.parentElement).paddingLeft) : 0;
    if (inner > 0 && inner !== width) {
      width = inner;
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      svg.replaceChildren(...draw(width, height).flat(Infinity).filter(Boolean));
    }
  };
  new ResizeObserver(again).observe(svg);
  queueMicrotask(again);
  return svg;
}

function axes(width, height, { x, y, xTicks, yTicks, yText, xUnit, yUnit }) {
  return [
    yTicks.map((at) => [
      drawing("line", { class: at === 0 ? "zero" : "grid-line", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(at), y2: y(at) }),
      drawing("text", { x: MARGIN.left - 7, y: y(at) + 4, "text-anchor": "end" }, yText(at)),
    ]),
    xTicks.map((at) => drawing("text", { x: x(at), y: height - 7, "text-anchor": "middle" }, at.toLocaleString("en-US"))),
    units(width, height, xUnit, yUnit),
  ];
}

/** What the axes count: y at its top, x at its end. */
const units = (width, height, x, y) => [
  drawing("text", { class: "unit", x: width - MARGIN.right, y: height - 7, "text-anchor": "end" }, x),
  drawing("text", { class: "unit", x: 2, y: 12 }, y),
];

/** Why there is no curve of an estimate yet. An interval without a value has one end: all was won, or all lost. */
function emptiness(points) {
  const [, , low, high] = points.at(-1) ?? [];
  if (isKnown(low)) return "All games were won so far. The curve starts with the first that is not.";
  if (isKnown(high)) return "All games were lost so far. The curve starts with the first that is not.";
  return "The curve starts with the first complete pair, or game without pairs.";
}

/**
 * A value that becomes known with the games, in a unit: points [games, value, low, high], the last two the ends of its
 * interval if it has one. `bounds` are lines that it may reach: [value, class, name]; the scale spans `least` at least.
 */
export function curve(label, points, { unit, bounds = [], digits = 0, least = 20, height = 230 }) {
  const shown = points.filter(([, value]) => isKnown(value));
  if (shown.length === 0) return element("p", { class: "quiet" }, emptiness(points));
  return fitted(label, height, (width) => {
    const last = shown.at(-1);
    // The first games scatter too much to set the scale.
    const settled = shown.filter((point) => point[0] >= last[0] * 0.12 || shown.length < 12);
    const reach = settled.flatMap(([, ...values]) => values.filter(isKnown)).concat(bounds.map(([value]) => value), [0]);
    let [low, high] = [Math.min(...reach), Math.max(...reach)];
    const air = Math.max((high - low) * 0.08, (least - (high - low)) / 2);
    [low, high] = [low - air, high + air];
    const x = (at) => MARGIN.left + (at / last[0]) * (width - MARGIN.left - MARGIN.right);
    const y = (at) => MARGIN.top + ((high - Math.min(high, Math.max(low, at))) / (high - low)) * (height - MARGIN.top - MARGIN.bottom);
    const spot = (at, value) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    const banded = shown.filter(([, , low, high]) => isKnown(low) && isKnown(high));
    const band = banded.length > 1
      ? `M${banded.map(([at, , , high]) => spot(at, high)).join("L")}L${banded.toReversed().map(([at, , low]) => spot(at, low)).join("L")}Z`
      : null;
    return [
      axes(width, height, {
        x, y, xTicks: ticks(0, last[0], width / 130).filter((at) => at > 0 && x(at) < width - 60), yTicks: ticks(low, high, height / 48),
        yText: (at) => (at === 0 ? "0" : signed(at, digits)), xUnit: "games", yUnit: unit,
      }),
      band && drawing("path", { class: "band", d: band }),
      bounds.map(([value, style, name]) => [
        drawing("line", { class: `bound ${style}`, x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) }),
        drawing("text", { x: width - MARGIN.right, y: y(value) + (style === "upper" ? 13 : -5), "text-anchor": "end" }, name),
      ]),
      drawing("path", { class: "line", d: `M${shown.map(([at, value]) => spot(at, value)).join("L")}` }),
      drawing("circle", { class: "dot", cx: x(last[0]), cy: y(last[1]), r: 4.5 }),
    ];
  });
}

/** Where an estimate lies between −most and most, with its interval, for a cell of a table: a side that has no end is open. */
export function interval({ value, low, high }, most) {
  const at = (number) => 60 + (56 * Math.min(most, Math.max(-most, number))) / most;
  const end = (number) => (isKnown(number) ? `M${at(number)} 6v8` : "");
  const isBounded = isKnown(low) || isKnown(high);
  return drawing("svg", { class: "chart interval", viewBox: "0 0 120 20", "aria-hidden": "true" },
    drawing("line", { class: "zero", x1: at(0), x2: at(0), y1: 1, y2: 19 }),
    isBounded ? drawing("path", { class: "line", d: `M${isKnown(low) ? at(low) : 0} 10H${isKnown(high) ? at(high) : 120}${end(low)}${end(high)}` }) : null,
    isKnown(value) ? drawing("circle", { class: "dot", cx: at(value), cy: 10, r: 4 }) : null);
}

/** How far a log-likelihood ratio is between its bounds. */
export function gauge(llr, lower, upper) {
  return fitted(`Log-likelihood ratio ${llr.toFixed(2)} between ${lower.toFixed(2)} and ${upper.toFixed(2)}`, 58, (width) => {
    const x = (value) => 8 + ((Math.min(upper, Math.max(lower, value)) - lower) / (upper - lower)) * (width - 16);
    const bar = (from, to, style) => drawing("rect", { class: style, x: Math.min(from, to), y: 18, width: Math.abs(to - from), height: 10, rx: 5 });
    return [
      drawing("rect", { x: 8, y: 18, width: width - 16, height: 10, rx: 5, fill: "var(--soft)" }),
      drawing("g", { fill: llr < 0 ? "var(--lost)" : "var(--won)" }, bar(x(0), x(llr), "")),
      drawing("line", { class: "zero", x1: x(0), x2: x(0), y1: 13, y2: 33 }),
      drawing("circle", { class: "dot", cx: x(llr), cy: 23, r: 7 }),
      drawing("text", { x: 8, y: 50 }, signed(lower, 2)),
      drawing("text", { x: x(0), y: 50, "text-anchor": "middle" }, "0"),
      drawing("text", { x: width - 8, y: 50, "text-anchor": "end" }, signed(upper, 2)),
    ];
  });
}

const SCALE = [1, 2, 4, 8];
const squeeze = (pawns) => Math.tanh(pawns / 3.5);

/**
 * The evaluations of both engines through a game, in pawns of White's view; a click goes there. `isOneLine`: all come from one
 * engine.
 */
export function evaluations(plies, names, { onPick, isOneLine = false }) {
  const height = 190;
  const value = ({ cp, mate }) => (isKnown(mate) ? (mate < 0 ? -1 : 1) : isKnown(cp) ? squeeze(cp / 100) : null);
  const cursor = drawing("line", { class: "cursor", y1: MARGIN.top, y2: height - MARGIN.bottom });
  const count = Math.max(1, plies.length);
  let x = () => 0;
  const svg = fitted(isOneLine ? "Evaluations" : `Evaluations of ${names[0]} and ${names[1]}`, height, (width) => {
    x = (ply) => MARGIN.left + (ply / count) * (width - MARGIN.left - MARGIN.right);
    const y = (share) => MARGIN.top + ((1 - share) / 2) * (height - MARGIN.top - MARGIN.bottom);
    const line = (parity) => plies.map((ply, index) => [index + 1, isOneLine || index % 2 === parity ? value(ply) : null])
      .filter(([, share]) => share !== null).map(([at, share]) => `${x(at).toFixed(1)} ${y(share).toFixed(1)}`).join("L");
    const marks = [...SCALE.toReversed().map((pawns) => -pawns), 0, ...SCALE];
    place(at);
    return [
      marks.map((pawns) => [
        drawing("line", { class: pawns === 0 ? "zero" : "grid-line", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(squeeze(pawns)), y2: y(squeeze(pawns)) }),
        Math.abs(pawns) === 8 ? null : drawing("text", { x: MARGIN.left - 7, y: y(squeeze(pawns)) + 4, "text-anchor": "end" }, pawns === 0 ? "0" : signed(pawns, 0)),
      ]),
      ticks(0, count / 2, width / 90).filter((move) => move >= 1 && x(move * 2) < width - 60)
        .map((move) => drawing("text", { x: x(move * 2), y: height - 7, "text-anchor": "middle" }, String(move))),
      units(width, height, "moves", "pawns"),
      (isOneLine ? [0] : [0, 1]).map((parity) => [parity, line(parity)]).filter(([, d]) => d)
        .map(([parity, d]) => drawing("path", { class: isOneLine ? "line" : `line ${parity === 0 ? "whites" : "blacks"}`, d: `M${d}` })),
      cursor,
    ];
  });
  let at = 0;
  const place = (ply) => {
    at = ply;
    cursor.setAttribute("x1", x(ply));
    cursor.setAttribute("x2", x(ply));
  };
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width * svg.viewBox.baseVal.width - MARGIN.left) / (svg.viewBox.baseVal.width - MARGIN.left - MARGIN.right);
    onPick(Math.max(0, Math.min(plies.length, Math.round(share * count))));
  });
  return { node: svg, place };
}

/** Wins, draws and losses as a bar. */
export function resultBar(wins, draws, losses) {
  const all = wins + draws + losses || 1;
  const part = (count, style) => (count > 0 ? element("i", { class: style, "width%": (100 * count) / all }) : null);
  return element("span", { class: "wdl", role: "img", "aria-label": `${wins} won, ${draws} drawn, ${losses} lost` },
    part(wins, "won"), part(draws, "drawn"), part(losses, "lost"));
}

/** Counts of pairs by points, as bars with their numbers. */
export function pentanomial(counts) {
  const most = Math.max(1, ...counts);
  const names = ["0", "½", "1", "1½", "2"];
  return element("span", { class: "penta", role: "img", "aria-label": counts.map((count, index) => `${count} pairs of ${names[index]} points`).join(", ") },
    counts.map((count) => element("span", {}, element("span", {}, element("i", { "height%": (100 * count) / most })), whole(count))));
}
