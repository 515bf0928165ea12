// The page on which a human plays an engine or analyzes with it. The server holds the game: this page shows its state, which
// comes by server-sent events, and sends commands.

import { positionInWords } from "./board.js";
import { evaluations } from "./charts.js";
import { card, drawing, element, renew } from "./elements.js";
import { MoveList, pliesBefore } from "./moves.js";
import { PlayBoard } from "./play_board.js";
import { NewGameForm } from "./play_form.js";
import { SIGNS, copyText } from "./replay.js";
import { mark } from "./runs.js";
import { advantage, clock, isKnown, line, score, short } from "./words.js";

/** How often a server that does not answer is tried again, and how long a resignation waits for its confirmation, in milliseconds. */
const [RETRY, CONFIRM] = [3000, 4000];

/** A clock is low below this number of milliseconds. */
const LOW = 20000;

/** Losses of winning chances from which a move is an inaccuracy, a mistake, a blunder. */
const MISTAKES = [[0.3, "??", "Blunder"], [0.2, "?", "Mistake"], [0.1, "?!", "Inaccuracy"]];

/** Lines that an analysis may have. */
const LINES = [1, 2, 3, 5];

const head = document.getElementById("head");
const main = document.getElementById("main");

let game = null;
let clocks = null;
let clocksAt = 0;
let thinking = null;
let connected = true;
let ended = false;
/** The ply of the game that is looked at; null is the position on the board. */
let looked = null;
let source = null;
let confirming = null;
let lines = 1;

/** Sends a command; gives the refusal in words, or null. */
async function send(command) {
  const answer = await fetch("/api/play", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command) }).catch(() => null);
  if (answer === null) return "The server does not answer.";
  if (answer.status === 401) location.reload();
  return answer.ok ? null : answer.text();
}

/** Sends a command and says why it was refused; answers whether it was taken. */
async function command(words) {
  const refusal = await send(words);
  if (refusal !== null) say(refusal);
  return refusal === null;
}

const said = element("div", { class: "move-line", "aria-live": "polite" });
function say(...text) {
  renew(said, text.map((part) => (typeof part === "string" ? document.createTextNode(part) : part)));
}

const board = new PlayBoard({ onMove: makeMove, onSay: say });
const form = new NewGameForm(send);
const list = new MoveList();
const players = [0, 1].map((color) => ({
  who: element("span", { class: "who" }),
  clock: element("span", { class: "clock", role: "timer", "aria-label": color === 0 ? "White’s clock" : "Black’s clock" }),
}));
const rows = players.map(({ who, clock: time }, color) => element("div", { class: "player" },
  element("span", { class: `color ${color === 1 ? "black" : "white"}` }), who, time));
const tableNode = element("div", { class: "table" });
const status = element("div", {});
const typed = element("input", { id: "typed", placeholder: "e4, Nf3, O-O", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": "typed-help" });
const moveForm = element("form", { class: "typed", onsubmit: (event) => { event.preventDefault(); typeMove(); } });
const thoughts = element("div", { class: "thoughts" });
const analysisCard = element("div", {});
const chartCard = element("div", {});
const copied = element("span", { class: "quiet", role: "status" });

const sign = (name, title, action) => element("button", { title, "aria-label": title, onclick: action },
  drawing("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, drawing("path", { d: SIGNS[name] })));

function build() {
  renew(moveForm,
    element("label", { for: "typed" }, "Your move"), typed, element("button", {}, "Move"),
    element("span", { class: "quiet", id: "typed-help" }, "or drag, tap, or arrow keys and Enter on the board"));
  const table = element("section", { class: "card", "aria-label": "Board" }, tableNode,
    element("div", { class: "controls" },
      sign("first", "First position (Home)", () => look(0)), sign("back", "Back (left arrow)", () => step(-1)),
      sign("on", "On (right arrow)", () => step(1)), sign("last", "Last position (End)", () => look(Infinity)),
      sign("flip", "Flip the board (f)", flip)),
    said, moveForm);
  const files = element("div", { class: "actions" },
    element("a", { class: "button", href: "/api/play/pgn", download: "game.pgn" }, "Download PGN"),
    element("button", { onclick: () => copy("FEN", shown().fen) }, "Copy FEN"), copied);
  renew(main, element("div", { class: "replay play" }, table, element("div", { class: "stack" }, status, analysisCard, chartCard,
    card("Moves", null, list.node, files),
    element("details", { class: "card thinking" }, element("summary", {}, "Engine output"), thoughts))), form.node);
}

async function copy(name, text) {
  copied.textContent = (await copyText(text).catch(() => false)) ? `${name} copied` : "The browser does not allow it";
}

const isAnalysis = () => game.state === "analysis";
const isMyTurn = () => game.state === "move" && !game.problem;

/** The position that is shown: that of the board, or an earlier one of the game. */
function shown() {
  if (isAnalysis() || looked === null) return game.board;
  const ply = looked > 0 ? game.plies[looked - 1] : { fen: game.fen };
  return { ...ply, check: /[+#]$/.test(ply.san ?? ""), legal: [] };
}

/** The moves of the list: those of the game, and in an analysis those that were tried. */
function plies() {
  if (!isAnalysis()) return game.plies;
  return [...game.plies.slice(0, game.analysis.ply), ...game.analysis.moves];
}

/** The number of plies before the position that is shown. */
const place = () => (isAnalysis() ? game.analysis.ply + game.analysis.moves.length : looked ?? game.plies.length);

function makeMove(move) {
  if (!isAnalysis()) return command({ do: "move", move: move.uci });
  const { ply, moves } = game.analysis;
  if (moves.length === 0 && game.plies[ply]?.san === move.san) return analyze(ply + 1, []);
  return analyze(ply, [...moves.map(({ uci }) => uci), move.uci]);
}

const analyze = (ply, moves) => command({ do: "analyze", ply, moves, lines });

/** Goes to the position after this number of plies. */
function look(ply) {
  if (!game) return;
  if (!isAnalysis()) {
    const at = Math.max(0, Math.min(game.plies.length, ply));
    looked = at === game.plies.length ? null : at;
    return draw();
  }
  const { ply: base, moves } = game.analysis;
  const tried = moves.map(({ uci }) => uci);
  const at = Math.max(0, Math.min(ply, Math.max(base + moves.length, game.plies.length)));
  if (at <= base) analyze(at, []);
  else if (moves.length > 0) analyze(base, tried.slice(0, at - base));
  else analyze(at, []);
}

const step = (by) => look(place() + by);

function flip() {
  board.flip();
  draw();
}

/** A move by its text: e2e4, Nf3, O-O. */
function typeMove() {
  const text = typed.value.trim().replaceAll("0", "O");
  const plain = (san) => san.replace(/[+#]$/, "");
  const wanted = plain(text);
  const { legal } = shown();
  const same = (fits) => legal.filter(fits);
  const found = [
    same(({ san, uci }) => plain(san) === wanted || uci === typed.value.trim().toLowerCase()),
    same(({ san }) => plain(san).toLowerCase() === wanted.toLowerCase()),
    same(({ san }) => plain(san).replace("=", "").replace("x", "").toLowerCase() === wanted.replace("=", "").replace("x", "").toLowerCase()),
  ].find((moves) => moves.length === 1);
  if (!found) return say(`${typed.value} is not a legal move here`);
  typed.value = "";
  makeMove(found[0]);
}

/** Mistakes of a ply by the review: [sign, name], or none. */
function mistake(index) {
  const [before, after] = [game.plies[index - 1], game.plies[index]];
  if (game.state === "move" || game.state === "thinking" || !before || !isKnown(before.cp ?? before.mate) || !isKnown(after.cp ?? after.mate)) return null;
  const mover = (pliesBefore(game.fen) + index) % 2 === 0 ? 1 : -1;
  const loss = mover * (advantage(before) - advantage(after));
  return after.better ? MISTAKES.find(([least]) => loss >= least) ?? null : null;
}

function drawHead() {
  const state = !connected ? ["problem", ended ? "The server has ended" : "No connection"]
    : game.problem ? ["problem", "The engine has stopped"]
      : { move: ["running", "Your move"], thinking: ["running", "The engine thinks"], over: ["finished", game.result?.replace("1/2-1/2", "½–½").replace("-", "–")], analysis: ["running", "Analysis"] }[game.state];
  const facts = [game.limits.replace("s/move", "s a move"), game.level ? `${game.level} Elo` : "Full strength",
    game.chess960 ? `Chess960${isKnown(game.chess960_start) ? ` number ${game.chess960_start}` : ""}` : ""].filter(Boolean);
  renew(head, element("div", { class: "title" }, mark(),
    element("div", { class: "names" }, element("h1", {}, `You against ${game.engine.name}`), element("p", { class: "quiet" }, facts.join(" · "))),
    element("span", { class: `pill ${state[0]}`, role: "status" }, state[1])));
  document.title = `${state[1]} – Smalt`;
}

function drawStatus() {
  const button = (text, action, attributes) => element("button", { onclick: action, "data-focus": text, ...attributes }, text);
  const isOn = game.state === "move" || game.state === "thinking";
  const hasOwn = game.plies.some((_, index) => ((pliesBefore(game.fen) + index) % 2 === 0) === (game.human === "white"));
  const buttons = isAnalysis() ? [
    button(game.result ? "Back to the game" : "Keep playing", () => command({ do: "play" }), { class: "primary" }),
    button("Play from here", () => form.open(game, "here")),
  ] : [
    isOn ? button("Take back", () => command({ do: "take-back" }), { disabled: !hasOwn }) : null,
    isOn ? button(game.hint_asked ? "Thinking…" : "Hint", () => command({ do: "hint" }), { disabled: !isMyTurn() || game.hint_asked }) : null,
    isOn ? button(game.draw_offered ? "Accept draw" : "Offer draw", () => command({ do: "draw" })) : null,
    isOn ? button(confirming ? "Really resign?" : "Resign", resign) : null,
    game.state === "over" ? button("Take back", () => command({ do: "take-back" }), { disabled: !hasOwn }) : null,
    button("Analyze", () => analyze(place(), [])),
  ];
  const words = [game.sentence, game.opening, game.draw_offered ? "The engine offers a draw." : null, game.notice,
    game.hint ? `Hint: ${game.hint.san}` : null].filter(Boolean);
  const node = element("section", { class: "card", "aria-label": "Game" },
    game.problem ? element("p", { class: "notice" }, `${game.engine.name}: ${game.problem}. `, button("Start the engine again", () => command({ do: "restart" }))) : null,
    words.map((text) => element("p", { class: text === game.sentence ? "result" : "quiet" }, text)),
    element("div", { class: "actions" }, buttons, button("New game…", () => form.open(game), { class: game.state === "over" ? "primary" : null })));
  renew(status, node);
}

function resign() {
  if (confirming) {
    clearTimeout(confirming);
    confirming = null;
    command({ do: "resign" });
  } else {
    confirming = setTimeout(() => { confirming = null; drawStatus(); }, CONFIRM);
    drawStatus();
  }
}

/** The lines of the engine, each with its score. */
function linesOf(onPick) {
  const at = pliesBefore(game.fen) + place();
  return thinking.lines.map((one) => {
    const text = [element("b", {}, score(one)), ` ${line(one.line.slice(0, 12), at)}`];
    return onPick ? element("button", { class: "line-of-play", title: `Play ${one.line[0]}`, onclick: () => onPick(one) }, text) : element("p", {}, text);
  });
}

function drawAnalysis() {
  analysisCard.hidden = !isAnalysis();
  if (!isAnalysis()) return;
  const choice = element("select", { "aria-label": "Number of lines", "data-focus": "lines", onchange: (event) => { lines = Number(event.target.value); analyze(game.analysis.ply, game.analysis.moves.map(({ uci }) => uci)); } },
    LINES.filter((count) => count <= game.engine.lines).map((count) => element("option", { value: count, selected: count === game.analysis.lines }, count === 1 ? "1 line" : `${count} lines`)));
  const is = thinking?.purpose === "analysis" && thinking.lines.length > 0;
  const facts = is ? [`depth ${thinking.lines[0].depth ?? "–"}`, isKnown(thinking.nodes) ? `${short(thinking.nodes)} nodes` : "", thinking.nps ? `${short(thinking.nps)} nps` : ""] : [];
  const pick = (one) => {
    const move = game.board.legal.find(({ san }) => san === one.line[0]);
    if (move) makeMove(move);
  };
  renew(analysisCard, card("Analysis, White’s view", choice, is ? linesOf(pick) : element("p", { class: "quiet" }, game.board.legal.length ? "Thinking…" : "The game is over here."),
    element("p", { class: "quiet" }, facts.filter(Boolean).join(" · "))));
}

function drawThoughts() {
  const is = thinking?.purpose === "move" && thinking.lines.length > 0 && !isAnalysis();
  renew(thoughts, is ? linesOfMove() : element("p", { class: "quiet" }, "Shown while it thinks about its move."));
}

/** Its line begins at the position in which it moved, which may be one ply ago. */
function linesOfMove() {
  const own = game.human === "white" ? 1 : 0;
  const at = pliesBefore(game.fen) + game.plies.length;
  const from = at % 2 === own ? at : at - 1;
  return thinking.lines.map((one) => element("p", {}, element("b", {}, score(one)), ` ${line(one.line.slice(0, 12), from)}`));
}

let chart = null;
let charted = "";
function drawChart() {
  const isOver = Boolean(game.result) && game.plies.some((ply) => isKnown(ply.cp) || isKnown(ply.mate));
  chartCard.hidden = !isOver;
  if (!isOver) return;
  const first = pliesBefore(game.fen) % 2;
  const values = game.plies.map(({ cp, mate }) => ({ cp, mate }));
  const text = JSON.stringify(values);
  if (text !== charted) {
    charted = text;
    chart = evaluations(first === 1 ? [{}, ...values] : values, game.names, { onPick: (ply) => look(Math.max(0, ply - first)), isOneLine: true });
    const left = game.to_review > 0 ? element("span", { class: "quiet" }, `${game.to_review} positions to go`) : null;
    renew(chartCard, card("Evaluation, White’s view", left, chart.node));
  }
  chart.place(place() + (first === 1 && place() > 0 ? 1 : 0));
}

function drawBoard() {
  const position = shown();
  const isLive = isAnalysis() || looked === null;
  const mine = isMyTurn() ? [game.human] : [];
  board.show({
    ...position,
    colors: !isLive ? [] : isAnalysis() ? [position.turn] : mine,
    premoves: isLive && game.state === "thinking" && !game.problem ? game.human : null,
  });
  const flipped = board.board.flipped;
  const [top, bottom] = flipped ? [0, 1] : [1, 0];
  if (tableNode.lastChild !== rows[bottom] || tableNode.firstChild !== rows[top]) renew(tableNode, rows[top], board.node, rows[bottom]);
  const arrows = [];
  if (isAnalysis() && thinking?.purpose === "analysis") thinking.lines.forEach((one, index) => arrows.unshift([one.from, one.to, index === 0 ? "best" : "other"]));
  else if (isLive && game.hint) arrows.push([game.hint.from, game.hint.to, "best"]);
  board.board.point(arrows);
  board.board.node.setAttribute("aria-label", `${positionInWords(position.fen, position.from, position.to)}. Arrow keys choose a square, Enter a piece and its target`);
}

function drawMoves() {
  const all = plies();
  const base = isAnalysis() ? game.analysis.ply : all.length;
  list.draw(all, pliesBefore(game.fen), {
    look: (ply, index) => {
      const wrong = index < base ? mistake(index) : null;
      const note = [wrong?.[1], index < base && (game.result || isAnalysis()) ? score(ply) : ""].filter(Boolean).join(" ");
      return { style: index >= base ? "tried" : null, title: wrong ? `${wrong[2]}: ${ply.better} is better` : null, note };
    },
    onPick: look,
  });
  list.go(place());
}

function drawClocks() {
  const passed = performance.now() - clocksAt;
  ["white", "black"].forEach((color, index) => {
    const node = players[index].clock;
    const runs = clocks?.running === color;
    const left = clocks ? clocks[`${color}_ms`] - (runs ? passed : 0) : null;
    node.textContent = clocks ? clock(left) : "";
    node.classList.toggle("ticks", runs);
    node.classList.toggle("low", clocks !== null && left < LOW);
  });
}

function draw() {
  drawHead();
  moveForm.hidden = game.state === "over";
  players.forEach(({ who }, color) => { who.textContent = game.names[color]; });
  drawBoard();
  drawStatus();
  drawMoves();
  drawAnalysis();
  drawThoughts();
  drawChart();
  drawClocks();
}

/** Shows the new state of the game and says what happened. */
function take(news) {
  const old = game;
  game = news;
  if (!old) build();
  const isNew = old?.number !== game.number;
  if (isNew) {
    looked = null;
    board.forget();
    confirming = null;
    if (board.board.flipped !== (game.human === "black")) board.board.flip();
  }
  if (old && game.plies.length !== old.plies.length) looked = null;
  if (old && game.plies.length < old.plies.length) board.forget();
  if (game.state === "over") board.forget();
  announce(isNew ? null : old);
  draw();
}

function announce(old) {
  const last = game.plies.at(-1);
  if (!old) return say(game.state === "move" ? "Your move" : "");
  if (isAnalysis()) return;
  const words = [];
  if (game.plies.length > old.plies.length) {
    const at = pliesBefore(game.fen) + game.plies.length - 1;
    words.push(element("b", {}, `${game.names[at % 2]}: ${line([last.san], at)}`), last.san.endsWith("+") ? " Check." : "");
  }
  if (game.sentence && game.sentence !== old.sentence) words.push(` ${game.sentence}.`);
  if (game.notice && game.notice !== old.notice) words.push(` ${game.notice}`);
  if (game.hint && game.hint.san !== old.hint?.san) words.push(` Hint: ${game.hint.san}.`);
  if (game.draw_offered && !old.draw_offered) words.push(" The engine offers a draw.");
  if (words.length > 0) say(...words);
}

function setConnected(now) {
  connected = now;
  if (now) ended = false;
  if (game) drawHead();
}

function follow() {
  source = new EventSource("/api/play/events");
  const hear = (name, use) => source.addEventListener(name, (event) => {
    if (!connected) setConnected(true);
    use(JSON.parse(event.data));
  });
  hear("game", take);
  hear("clocks", (news) => {
    [clocks, clocksAt] = [news, performance.now()];
    drawClocks();
  });
  hear("thinking", (news) => {
    thinking = news;
    if (!game) return;
    drawAnalysis();
    drawThoughts();
    if (isAnalysis()) drawBoard();
  });
  source.addEventListener("end", () => {
    ended = true;
    setConnected(false);
    ended = true;
    again();
  });
  source.addEventListener("open", () => setConnected(true));
  source.addEventListener("error", () => {
    setConnected(false);
    // A refusal ends the source for good; a lost connection is mended by the browser.
    if (source.readyState === EventSource.CLOSED) again();
  });
}

async function again() {
  source.close();
  const answer = await fetch("/api/play").catch(() => null);
  if (answer?.status === 401) return location.reload();
  setTimeout(follow, RETRY);
}

document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || typing || form.node.open || !game) return;
  const actions = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => look(0), End: () => look(Infinity), f: flip };
  if (!actions[event.key]) return;
  actions[event.key]();
  event.preventDefault();
});

setInterval(() => { if (clocks?.running) drawClocks(); }, 100);
follow();
