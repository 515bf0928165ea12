// What those with a token may change: commands for a run in progress, and positions of lost games that are kept.

import { card, element, renew } from "./elements.js";

/** Sends a change. Gives whether it was done, and what the server says of it. */
export async function send(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? {}) }).catch(() => null);
  return answer ? { done: answer.ok, words: await answer.text() } : { done: false, words: "The server does not answer." };
}

let asked = null;

/** What this browser may change: `null` for nothing, else the file of positions. */
export const allowed = () => (asked ??= fetch("/api/commands").then((answer) => (answer.ok ? answer.json() : null)).catch(() => null));

/** Buttons and fields that do in a run what `ctl` does. */
export class Control {
  #run = null;
  #known = "";
  #words = element("p", { class: "notice", role: "status", hidden: true });
  #withdrawn = element("select", { "aria-label": "Engine to withdraw" });
  #concurrency = this.#number("Concurrent games", { min: 1 });
  #isAllowed = false;
  #shown = "";
  /** Leads to the buttons, which are the last of the page. */
  link = element("button", { type: "button", class: "to-control", hidden: true, onclick: () => this.node.scrollIntoView() }, "Control this run ↓");
  node = element("div", { class: "control", hidden: true });

  constructor() {
    const button = (text, ...words) => element("button", { type: "button", onclick: () => this.#send(...words) }, text);
    const further = this.#number("Further games of each pairing", { min: 2, step: 2, value: 100 });
    const engine = element("input", { required: true, placeholder: "name in the registry", "aria-label": "Engine to add" });
    allowed().then((commands) => commands && this.#draw(card("Control", null, this.#words,
      element("div", { class: "actions" }, button("Pause", "pause"), button("Resume", "continue")),
      element("div", { class: "filters" },
        this.#form("Set concurrency", this.#concurrency, () => ["concurrency", this.#concurrency.value]),
        this.#form("Extend", further, () => ["extend", further.value]),
        this.#form("Add engine", engine, () => ["add", engine.value]),
        this.#form("Withdraw", this.#withdrawn, () => ["withdraw", this.#withdrawn.value])))));
  }

  #number(label, attributes) {
    return element("input", { type: "number", required: true, "aria-label": label, ...attributes });
  }

  #draw(node) {
    this.#isAllowed = true;
    renew(this.node, node);
    if (this.#run) this.show(this.#run);
  }

  #form(text, field, words) {
    return element("form", { class: "command", onsubmit: (event) => {
      event.preventDefault();
      this.#send(...words());
    } }, element("label", {}, field.getAttribute("aria-label"), field), element("button", { type: "submit" }, text));
  }

  async #send(...words) {
    const { words: said } = await send(`/api/runs/${this.#run.id}/commands`, { words });
    this.#words.textContent = said;
    this.#words.hidden = false;
  }

  show(run) {
    this.#run = run;
    this.node.hidden = run.state !== "running";
    this.link.hidden = this.node.hidden || !this.#isAllowed;
    // The present number, until the user types another one.
    if (run.slots && document.activeElement !== this.#concurrency && this.#concurrency.value === this.#shown) this.#shown = this.#concurrency.value = String(run.slots);
    const names = run.results.entrants.map(({ name }) => name);
    if (this.#known === names.join("\n")) return;
    this.#known = names.join("\n");
    renew(this.#withdrawn, names.map((name) => element("option", { value: name }, name)));
  }
}
