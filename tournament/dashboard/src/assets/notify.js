// A notification when a run is decided or over, for those who asked for one.

import { element } from "./elements.js";
import { capitalized, verdict } from "./words.js";

const KEY = "smalt-notify";

/** Whether browsers of this kind, at this address, can notify at all. */
const canNotify = () => "Notification" in window && window.isSecureContext && Notification.permission !== "denied";

export class Notifier {
  #known = new Map();
  #onChange;

  /** `onChange` is called when the user switches it on or off. */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  get isOn() {
    return canNotify() && Notification.permission === "granted" && localStorage.getItem(KEY) === "on";
  }

  /** The switch, while there is something to wait for. */
  button(run) {
    if (!canNotify() || run.state !== "running") return null;
    const text = this.isOn ? "Notifies you at the end" : "Notify me at the end";
    return element("button", { "aria-pressed": this.isOn, "data-focus": "notify", onclick: () => this.#toggle() }, text);
  }

  async #toggle() {
    const isOn = this.isOn;
    if (!isOn && (await Notification.requestPermission()) !== "granted") return;
    localStorage.setItem(KEY, isOn ? "off" : "on");
    this.#onChange();
  }

  /** Sees each state of a run; notifies when its test is decided, or it ends. */
  watch(run) {
    const sprt = run.results?.sprt;
    const state = sprt && sprt.verdict !== "continue" ? verdict(sprt) : run.state === "running" ? "" : capitalized(run.state);
    const before = this.#known.get(run.id);
    this.#known.set(run.id, state);
    if (before !== "" || state === "" || !this.isOn) return;
    try {
      new Notification(run.name || run.store, { body: state, tag: `smalt ${run.store}`, icon: "/favicon.svg" });
    } catch {
      // Browsers of phones want a service worker: the title has to do.
      document.title = `${state} – ${run.name || run.store}`;
    }
  }
}
