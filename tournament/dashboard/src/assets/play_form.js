// The form of a new game: color, strength, time, and the position to start from.

import { element, renew } from "./elements.js";

const TIMES = [
  ["movetime=1000", "No clock, 1 s a move"], ["movetime=5000", "No clock, 5 s a move"],
  ["tc=60", "1 min"], ["tc=180+2", "3 min + 2 s"], ["tc=300+3", "5 min + 3 s"], ["tc=600+5", "10 min + 5 s"],
  ["tc=900+10", "15 min + 10 s"], ["tc=1800+20", "30 min + 20 s"], ["depth=4", "No clock, depth 4"], ["", "Other"],
];
const STARTS = [["standard", "Standard"], ["chess960", "Chess960"], ["fen", "A position (FEN)"], ["pgn", "A game (PGN)"], ["here", "The position on the board"]];

/** Elo values from one to another, in steps of 100 up to 2000 and of 200 above. */
function levels([low, high]) {
  const values = [low];
  for (let elo = Math.floor(low / 100) * 100 + 100; elo < high; elo += elo < 2000 ? 100 : 200) values.push(elo);
  return [...values, high];
}

const select = (name, options, chosen) => element("select", { name }, options.map(([value, text]) => element("option", { value, selected: String(value) === String(chosen) }, text)));
const label = (text, ...controls) => element("label", {}, text, controls);

export class NewGameForm {
  #send;
  #error = element("p", { class: "notice", role: "alert", hidden: true });
  #limits = "movetime=1000";
  #color = "white";
  node = element("dialog", { class: "card new-game", "aria-label": "New game" });

  /** `send` sends a command and gives the refusal in words, or null. */
  constructor(send) {
    this.#send = send;
  }

  /** Opens the form with what was chosen last; `start` is the start position that is offered. */
  open(game, start = "standard") {
    const colors = [["white", "White"], ["random", "Random"], ["black", "Black"]];
    const color = element("fieldset", { class: "choices" }, element("legend", {}, "You play"),
      colors.map(([value, text]) => element("label", {}, element("input", { type: "radio", name: "color", value, checked: value === this.#color }), text)));
    const strengths = game.engine.elo ? [["", "Full strength"], ...levels(game.engine.elo).map((elo) => [elo, `${elo} Elo`])] : [["", "Full strength"]];
    const known = TIMES.some(([words]) => words === this.#limits);
    const times = select("time", TIMES, known ? this.#limits : "");
    const own = element("input", { name: "limits", value: known ? "" : this.#limits, placeholder: "tc=120+1", autocapitalize: "off", spellcheck: "false" });
    const starts = select("start", STARTS.filter(([name]) => name !== "chess960" || game.engine.chess960), start);
    const fields = {
      chess960: label("Number, 0 to 959 (empty: random)", element("input", { name: "number", type: "number", min: 0, max: 959 })),
      fen: label("FEN", element("input", { name: "fen", autocapitalize: "off", spellcheck: "false" })),
      pgn: label("PGN", element("textarea", { name: "pgn", rows: 5, spellcheck: "false" })),
    };
    const ownField = label("Words: tc=120+1, movetime=500, nodes=20000, depth=6", own);
    const show = () => {
      Object.entries(fields).forEach(([name, field]) => { field.hidden = starts.value !== name; });
      ownField.hidden = times.value !== "";
    };
    starts.addEventListener("change", show);
    times.addEventListener("change", show);
    const form = element("form", { method: "dialog", onsubmit: (event) => { event.preventDefault(); this.#submit(new FormData(form)); } },
      element("h2", {}, "New game"), color, label("Strength", select("level", strengths, game.level ?? "")), label("Time", times), ownField,
      label("Start", starts), Object.values(fields), this.#error,
      element("div", { class: "actions" }, element("button", { class: "primary" }, "Start"),
        element("button", { type: "button", onclick: () => this.node.close() }, "Cancel")));
    this.#error.hidden = true;
    show();
    renew(this.node, form);
    this.node.showModal();
  }

  async #submit(data) {
    const text = (name) => String(data.get(name) ?? "").trim();
    const limits = text("time") || text("limits");
    const starts = {
      chess960: () => ({ chess960: text("number") === "" ? null : Number(text("number")) }),
      fen: () => ({ fen: text("fen") }),
      pgn: () => ({ pgn: { text: String(data.get("pgn")) } }),
    };
    const start = starts[text("start")]?.() ?? text("start");
    const refusal = await this.#send({ do: "new", color: text("color"), level: text("level") ? Number(text("level")) : null, limits, start });
    this.#error.textContent = refusal ?? "";
    this.#error.hidden = refusal === null;
    if (refusal !== null) return;
    [this.#limits, this.#color] = [limits, text("color")];
    this.node.close();
  }
}
