// The list of finished games; its filters are part of the address.

import { element, renew } from "./elements.js";
import { silence } from "./head.js";
import { capitalized, duration, moment, whole } from "./words.js";

/** Results of any game, and those of one engine: the latter stand in the address beside the engine. */
const RESULTS = [["", "Any"], ["1-0", "White won"], ["0-1", "Black won"], ["draw", "Drawn"]];
const OWN_RESULTS = [["loss", "Lost by"], ["win", "Won by"]];
const isOwn = (result) => OWN_RESULTS.some(([word]) => word === result);

/** Interval of reading the list during a run, in milliseconds. */
const PACE = 2500;

export class Games {
  #run;
  #query;
  #games = [];
  #total = 0;
  #known = -1;
  #asked = -Infinity;
  #count = element("p", { class: "quiet", role: "status" });
  #list = element("div", {});
  #go;

  /** `go` changes the address. */
  constructor(run, query, go) {
    this.#run = run;
    this.#query = query;
    this.#go = go;
    this.node = element("div", {}, element("section", { class: "card" }, this.#filters(), this.#count, this.#list));
    this.show(run);
  }

  #filters() {
    const run = this.#run;
    const change = (name) => (event) => this.#change({ [name]: event.target.value });
    const option = (current) => ([value, text]) => element("option", { value, selected: current === String(value) }, text);
    const choice = (label, name, options) => element("label", {}, label,
      element("select", { onchange: change(name), "data-focus": `filter ${name}` }, options.map(option(this.#query.get(name) ?? ""))));
    const names = run.results.entrants.map(({ name }, index) => [String(index), name]);
    const engine = this.#query.get("engine");
    const others = names.filter(([index]) => index !== engine);
    const result = this.#query.get("result") ?? "";
    const own = names.filter(([index]) => engine === null || index === engine);
    const results = element("label", {}, "Result", element("select", { "data-focus": "filter result",
      onchange: (event) => {
        const [result, engine] = event.target.value.split(" ");
        this.#change(engine === undefined ? { result } : { result, engine });
      } },
      RESULTS.map(option(result)),
      OWN_RESULTS.map(([word, text]) => element("optgroup", { label: text },
        own.map(([index, name]) => [`${word} ${index}`, `${text} ${name}`]).map(option(`${result} ${engine}`))))));
    const endings = Object.keys(run.results.terminations);
    const current = this.#query.get("ending");
    if (current && current !== "fault" && !endings.includes(current)) endings.push(current);
    return element("div", { class: "filters" },
      choice("Engine", "engine", [["", "All"], ...names]),
      names.length > 2 && engine !== null ? choice("Against", "against", [["", "All"], ...others]) : null,
      results,
      choice("Termination", "ending", [["", "Any"], ["fault", "Any fault"], ...endings.map((name) => [name, capitalized(name)])]),
      element("label", {}, "Opening", element("input", { type: "number", min: 1, placeholder: "Any", inputmode: "numeric",
        value: this.#query.get("opening") ?? "", onchange: change("opening"), "data-focus": "filter opening" })));
  }

  /** Goes to the games with these filters changed; what goes with an engine goes when no engine is chosen. */
  #change(filters) {
    const query = new URLSearchParams(this.#query);
    for (const [name, value] of Object.entries(filters)) {
      if (value === "") query.delete(name);
      else query.set(name, value);
    }
    if (!query.has("engine") && isOwn(query.get("result"))) query.delete("result");
    if (!query.has("engine") || query.get("against") === query.get("engine")) query.delete("against");
    this.#go(query);
  }

  /** Asks again when games have been added. */
  async show(run) {
    this.#run = run;
    const passed = performance.now() - this.#asked;
    if (run.results.games_finished === this.#known || (run.state === "running" && passed < PACE)) return;
    [this.#known, this.#asked] = [run.results.games_finished, performance.now()];
    const found = await this.#ask({ count: Math.max(50, this.#games.length) });
    if (found) {
      this.#games = found.games;
      this.#total = found.total;
      this.#draw();
    } else if (this.#games.length === 0) {
      renew(this.#list, silence(run));
    }
    // Missing games are requested again with the next update.
    if (!found) this.#known = -1;
  }

  async #ask(more) {
    const query = new URLSearchParams(this.#query);
    for (const [name, value] of Object.entries(more)) query.set(name, value);
    const answer = await fetch(`/api/runs/${this.#run.id}/games?${query}`).catch(() => null);
    return answer?.ok ? answer.json() : null;
  }

  async #more() {
    const found = await this.#ask({ before: this.#games.at(-1).number, count: 100 });
    if (found) {
      this.#games.push(...found.games);
      this.#draw();
    }
  }

  #draw() {
    const { id, results } = this.#run;
    const name = (index) => results.entrants[index]?.name ?? "?";
    this.#count.textContent = `${whole(this.#total)} ${this.#total === 1 ? "game" : "games"}`;
    const row = (game) => {
      const link = (style, ...children) => element("td", { class: style }, element("a", { href: `#/run/${id}/games/${game.number}`, tabindex: -1 }, ...children));
      return element("tr", {},
        element("td", { class: "number quiet wide" }, element("a", { href: `#/run/${id}/games/${game.number}`, tabindex: -1 }, game.number)),
        element("td", {}, element("a", { class: "players", href: `#/run/${id}/games/${game.number}`, "data-focus": `game ${game.number}` },
          name(game.white), element("span", { class: "quiet" }, " – "), name(game.black))),
        link("score", game.result.replace("1/2-1/2", "½–½").replace("-", "–")),
        link(game.fault ? "text-lost" : "quiet", capitalized(game.ending)),
        link("number quiet wide", `${Math.ceil(game.plies / 2)}`),
        element("td", { class: "number wide" }, element("a", { class: "quiet", href: `#/run/${id}/games?opening=${game.opening}`, tabindex: -1 }, game.opening)),
        link("number quiet wide", duration(game.seconds)),
        link("number quiet wide", moment(game.started_ms)));
    };
    const columns = [["Game", "number wide"], ["White – Black", ""], ["Result", ""], ["Termination", ""], ["Moves", "number wide"], ["Opening", "number wide"], ["Length", "number wide"], ["Began", "number wide"]];
    renew(this.#list, this.#games.length === 0 ? element("p", { class: "empty" }, "No games match.") : [
      element("div", { class: "scroll" }, element("table", { class: "games" },
        element("thead", {}, element("tr", {}, columns.map(([text, style]) => element("th", { scope: "col", class: style }, text)))),
        element("tbody", {}, this.#games.map(row)))),
      this.#games.length < this.#total
        ? element("button", { class: "more", onclick: () => this.#more(), "data-focus": "more" }, "Show more") : null]);
  }
}
