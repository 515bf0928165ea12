// Number formats.

const MISSING = "–";

export const isKnown = (number) => number !== null && number !== undefined;

export const whole = (number) => (isKnown(number) ? Math.round(number).toLocaleString("en-US") : MISSING);

export const fixed = (number, digits) => (isKnown(number) ? number.toFixed(digits) : MISSING);

export const percent = (share) => (isKnown(share) ? `${(100 * share).toFixed(1)} %` : MISSING);

const sign = (number, digits) => {
  const size = Math.abs(number).toFixed(digits);
  return Number(size) === 0 ? size : `${number < 0 ? "−" : "+"}${size}`;
};

/** +12.3, −4.5, 0.0. */
export const signed = (number, digits = 1) => (isKnown(number) ? sign(number, digits) : MISSING);

/** 1,234,567 as 1.23 M. */
export function short(number) {
  if (!isKnown(number)) return MISSING;
  const units = [[1e9, " G"], [1e6, " M"], [1e3, " k"]];
  const unit = units.find(([size]) => number >= size);
  return unit ? `${(number / unit[0]).toPrecision(3)}${unit[1]}` : String(Math.round(number));
}

/** Seconds as 2 h 05 min, 12 min 30 s, 4 s. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return MISSING;
  const all = Math.max(0, Math.round(seconds));
  const [days, hours, minutes] = [Math.floor(all / 86400), Math.floor(all / 3600) % 24, Math.floor(all / 60) % 60];
  const two = (number) => String(number).padStart(2, "0");
  if (days > 0) return `${days} d ${two(hours)} h`;
  if (hours > 0) return `${hours} h ${two(minutes)} min`;
  if (minutes > 0) return `${minutes} min ${two(all % 60)} s`;
  return `${all} s`;
}

/** A clock: 1:02:03, 4:05, tenths below ten seconds, hundredths below one. */
export function clock(milliseconds) {
  if (!isKnown(milliseconds)) return "";
  const left = Math.max(0, milliseconds);
  if (left < 1000) return `0:00.${String(Math.floor(left / 10)).padStart(2, "0")}`;
  if (left < 10000) return `0:0${(Math.floor(left / 100) / 10).toFixed(1)}`;
  const all = Math.floor(left / 1000);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor(all / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`;
}

/** A score in White's view: +0.35, −1.20, 0.00, #5, −#3. */
export function score({ cp, mate }) {
  if (isKnown(mate)) return `${mate < 0 ? "−" : ""}#${Math.abs(mate)}`;
  return isKnown(cp) ? sign(cp / 100, 2) : "";
}

/** The share of the bar that is White's at a score: the chance of an even engine, with 400 centipawns as ten to one. */
export function advantage({ cp, mate }) {
  if (isKnown(mate)) return mate < 0 ? 0 : 1;
  return isKnown(cp) ? 1 / (1 + 10 ** (-cp / 400)) : 0.5;
}

/** A time in the format of this device, with the date unless it is today. */
export function moment(milliseconds) {
  const then = new Date(milliseconds);
  const time = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return then.toDateString() === new Date().toDateString() ? time : `${then.toLocaleDateString()} ${time}`;
}

/** The moves of a line with their numbers, the first of them played after `ply` plies. */
export function line(moves, ply) {
  return moves.map((move, index) => {
    const at = ply + index;
    if (at % 2 === 0) return `${at / 2 + 1}.${"\u00a0"}${move}`;
    return index === 0 ? `${(at - 1) / 2 + 1}…${"\u00a0"}${move}` : move;
  }).join(" ");
}

/**
 * Elo of an engine with its 95 % interval, as [value, interval] texts: +12.3 and ± 4.5; +373.8 and (+141, +607) where the
 * interval is not about as wide on both sides; > +137 (< −137) alone where all games were won (lost).
 */
export function estimate({ elo, elo_error: error, elo_low: low, elo_high: high }) {
  if (isKnown(elo)) {
    if (!isKnown(low) || !isKnown(high)) return [signed(elo), ""];
    const isSymmetric = Math.abs(low + high - 2 * elo) <= Math.max(0.03 * (high - low), 0.05);
    const decimals = high - low < 20 ? 1 : 0;
    return [signed(elo), isSymmetric ? ` ± ${error.toFixed(1)}` : ` (${signed(low, decimals)}, ${signed(high, decimals)})`];
  }
  if (isKnown(low) === isKnown(high)) return [MISSING, ""];
  return [isKnown(low) ? `> ${signed(low, 0)}` : `< ${signed(high, 0)}`, ""];
}

/** The same with the interval that holds at every look. */
export const estimateAtAnyLook = (results) => {
  const [low, high] = [results.elo_always_low, results.elo_always_high];
  return estimate({ elo: results.elo, elo_error: isKnown(low) && isKnown(high) ? (high - low) / 2 : null, elo_low: low, elo_high: high });
};

/** Elo estimate of a sequential test, given its stopping rule. */
export function estimateAfterTest(sprt) {
  const { sprt_elo: elo, sprt_elo_low: low, sprt_elo_high: high } = sprt;
  if (!isKnown(sprt.sprt_los)) return null;
  return estimate({ elo, elo_error: isKnown(low) && isKnown(high) ? (high - low) / 2 : null, elo_low: low, elo_high: high }).join("");
}

/** The gain of an accepted candidate of a race by the games after its verdict. */
export function estimateOfRace({ estimate_elo: elo, estimate_elo_low: low, estimate_elo_high: high, estimate_games: games }) {
  if (!games) return null;
  return estimate({ elo, elo_error: isKnown(low) && isKnown(high) ? (high - low) / 2 : null, elo_low: low, elo_high: high }).join("");
}

/** Whether the planned games are but a limit: in a sequential test, also after its verdict, and in an undecided race or bisection. */
export const isLengthOpen = (results) => Boolean(results?.sprt) || isOpenEnded(results);

export const isOpenEnded = (results) => ["race", "bisect"].includes(results?.course?.kind) && results.course.is_open;

/** Finished and planned games: 12 of 400; 12 alone where the number of games is open. */
export const gamesText = (results) => {
  const done = whole(results?.games_finished ?? 0);
  return isLengthOpen(results) ? done : `${done} of ${whole(results?.games_planned ?? 0)}`;
};

/** The share of the games to be played that are over; of an open race or bisection nothing is known. */
export function progress(results) {
  if (isOpenEnded(results)) return 0;
  if (["H0", "H1"].includes(results?.sprt?.verdict)) return 1;
  const all = (results?.games_planned ?? 0) - (results?.games_left_out ?? 0);
  return all > 0 ? Math.min(1, results.games_finished / all) : 0;
}

/** State of a run for its pill: [class, text]. */
export const stateOf = (run) => (run.is_paused ? ["paused", "Paused"] : [run.state, capitalized(run.is_reading ? "reading" : run.state)]);

export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Verdict of a sequential test. */
export function verdict(sprt) {
  const words = { H1: "H1 accepted: it passes", H0: "H0 accepted: it fails", continue: "Undecided" };
  return words[sprt.verdict] ?? capitalized(String(sprt.verdict));
}
