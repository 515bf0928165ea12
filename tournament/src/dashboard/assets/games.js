// The list of finished games, with filters that stand in the address.

import { element, renew } from "./elements.js";
import { capitalized, duration, moment, whole } from "./words.js";

const RESULTS = [["", "Any"], ["win", "Engine won"], ["draw", "Drawn"], ["loss", "Engine lost"], ["1-0", "White won"], ["0-1", "Black won"]];

/** How often the list is asked for while a run goes on, in milliseconds. */
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
    const change = (name) => (event) => {
      const query = new URLSearchParams(this.#query);
      if (event.target.value === "") query.delete(name);
      else query.set(name, event.target.value);
      this.#go(query);
    };
    const choice = (label, name, options) => element("label", {}, label,
      element("select", { onchange: change(name), "data-focus": `filter ${name}` },
        options.map(([value, text]) => element("option", { value, selected: (this.#query.get(name) ?? "") === String(value) }, text))));
    const endings = Object.keys(run.results.terminations);
    const current = this.#query.get("ending");
    if (current && current !== "fault" && !endings.includes(current)) endings.push(current);
    return element("div", { class: "filters" },
      choice("Engine", "engine", [["", "All"], ...run.results.entrants.map(({ name }, index) => [index, name])]),
      choice("Result", "result", RESULTS.filter(([value]) => this.#query.get("engine") !== null || !["win", "loss"].includes(value))),
      choice("Ending", "ending", [["", "Any"], ["fault", "Any fault"], ...endings.map((name) => [name, capitalized(name)])]),
      element("label", {}, "Opening", element("input", { type: "number", min: 1, placeholder: "Any", inputmode: "numeric",
        value: this.#query.get("opening") ?? "", onchange: change("opening"), "data-focus": "filter opening" })));
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
    }
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
    const columns = [["Game", "number wide"], ["White – Black", ""], ["Result", ""], ["Ending", ""], ["Moves", "number wide"], ["Opening", "number wide"], ["Length", "number wide"], ["Began", "number wide"]];
    renew(this.#list, this.#games.length === 0 ? element("p", { class: "empty" }, "There are no such games.") : [
      element("div", { class: "scroll" }, element("table", { class: "games" },
        element("thead", {}, element("tr", {}, columns.map(([text, style]) => element("th", { scope: "col", class: style }, text)))),
        element("tbody", {}, this.#games.map(row)))),
      this.#games.length < this.#total
        ? element("button", { class: "more", onclick: () => this.#more(), "data-focus": "more" }, "Show more") : null]);
  }
}
