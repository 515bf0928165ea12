// Elements. Engine output becomes text nodes only, never HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "width%") node.style.width = `${value}%`;
    else if (name === "height%") node.style.height = `${value}%`;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An HTML element with attributes, listeners (`onclick`) and children; texts become text nodes. */
export const element = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

/** The same of SVG. */
export const drawing = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

/** Puts these children in place of the old ones; the focused element keeps the focus, found again by `data-focus`. */
export function renew(node, ...children) {
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset?.focus : undefined;
  node.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (focused) {
    const same = [...node.querySelectorAll("[data-focus]")].find((other) => other.dataset.focus === focused);
    same?.focus({ preventScroll: true });
  }
  return node;
}

/** The end of a transcript behind a summary, scrolled to the fault. */
export const transcript = (attributes, summary, lines) => {
  const text = element("pre", { tabindex: 0, "aria-label": "Transcript, last lines" }, lines.join("\n"));
  const toEnd = () => { text.scrollTop = text.scrollHeight; };
  return element("details", { ...attributes, ontoggle: toEnd }, summary, text);
};

/** A card with a heading. */
export const card = (heading, extra, ...children) =>
  element("section", { class: "card", "aria-label": heading }, element("header", {}, element("h2", {}, heading), extra), ...children);

/** A table. `columns`: [heading, class] each; `rows`: arrays of cells, a cell being a text or a node. The first is the row's heading. */
export function table(columns, rows, attributes) {
  const cell = (value, index) =>
    element(index === 0 ? "th" : "td", { class: columns[index][1], scope: index === 0 ? "row" : null }, value);
  return element("div", { class: "scroll" }, element("table", attributes ?? {},
    element("thead", {}, element("tr", {}, columns.map(([text, style]) => element("th", { scope: "col", class: style }, text)))),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map(cell))))));
}
