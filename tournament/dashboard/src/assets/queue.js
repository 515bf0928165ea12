// The queue: its jobs with what may be done to them, and a form that adds one.

import { send } from "./control.js";
import { card, element, renew, table } from "./elements.js";
import { capitalized } from "./words.js";

export class Queue {
  #list = element("div");
  #words = element("p", { class: "notice", role: "status", hidden: true });
  #command = element("input", { name: "command", required: true, placeholder: "sprt --engine ./new --engine ./old --tc 8+0.08", "aria-label": "Command line" });
  #name = element("input", { name: "name", placeholder: "name", "aria-label": "Name" });
  #priority = element("input", { name: "priority", type: "number", value: 0, "aria-label": "Priority" });
  #changed;
  node;

  /** `changed` is called after each change. */
  constructor(changed) {
    this.#changed = changed;
    const form = element("form", { class: "filters job", onsubmit: (event) => this.#add(event) },
      element("label", {}, "Command line", this.#command), element("label", {}, "Name", this.#name),
      element("label", {}, "Priority", this.#priority), element("label", {}, "\u00a0", element("button", { type: "submit" }, "Add job")));
    this.node = card("Queue", null, this.#words, this.#list, form);
  }

  async #add(event) {
    event.preventDefault();
    const job = { command: this.#command.value, name: this.#name.value, priority: Number(this.#priority.value) || 0 };
    if (await this.#send("/api/queue", job)) this.#command.value = this.#name.value = "";
  }

  async #send(path, body) {
    const { done, words } = await send(path, body);
    renew(this.#words, words);
    this.#words.hidden = done;
    this.#changed();
    return done;
  }

  #button(job) {
    const action = { waiting: "pause", paused: "resume", failed: "resume", "out-of-time": "resume" }[job.state];
    return action ? element("button", { onclick: () => this.#send(`/api/queue/${job.id}/${action}`), "data-focus": `job ${job.id}` }, capitalized(action)) : "";
  }

  show(jobs) {
    const rows = jobs.map((job) => [
      job.run === undefined ? job.name : element("a", { href: `#/run/${job.run}` }, job.name),
      String(job.priority),
      job.running > 0 ? `Playing, concurrency ${job.running}` : capitalized(job.state),
      job.used_hours.toFixed(1),
      job.progress,
      job.flag ? element("b", { class: "text-lost" }, job.flag) : "",
      this.#button(job),
    ]);
    renew(this.#list, jobs.length === 0 ? element("p", { class: "empty" }, "No jobs.")
      : table([["Job", "name"], ["Priority", "number"], ["State", ""], ["Hours", "number"], ["Progress", ""], ["Warning", ""], ["", ""]], rows));
  }
}
