// Elements from data: text is set as text, never as markup.

import { asked, told } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export const make = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const draw = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// A long text of a device keeps to one cell; marks of writing direction stay inside of it. What
// fits on a line of a phone and is one name, such as su1-rail0, stays on one line.
const ONE_NAME = /^\S{1,30}$/u;
export const name = (text) => make("bdi", { class: ONE_NAME.test(text) && "name" },
  text.length > 200 ? `${text.slice(0, 200)}…` : text);

export const link = (text, ...parts) => make("a", { href: path(...parts) }, name(text));

export const path = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

export function table(caption, heads, rows, attributes = {}) {
  const head = make("tr", {}, heads.map((text) => make("th", { scope: "col" }, text)));
  const body = rows.map((cells) => make("tr", {}, cells.map((cell, at) => make("td", { "data-head": heads[at] }, shown(cell)))));
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption, ...attributes },
    make("table", {}, make("caption", { class: "hidden" }, caption),
      make("thead", {}, head), make("tbody", {}, body)),
  );
}

export function facts(rows) {
  return make("dl", { class: "facts" }, rows.map(([key, value]) =>
    make("div", {}, make("dt", {}, key), make("dd", {}, shown(value)))));
}

function shown(cell) {
  if (cell === null || cell === undefined || cell === "") return make("span", { class: "faint" }, "–");
  return cell instanceof Node ? cell : name(String(cell));
}

export const card = (title, ...children) =>
  make("section", { class: "card" }, make("h2", {}, title), ...children);

export const badge = (kind, text) => make("span", { class: `badge ${kind}` }, text);

// New content: what had the focus, a link or a region, has it again where it is still there.
export function refill(place, children) {
  const key = (node) => node.getAttribute("href") ?? node.getAttribute("aria-label");
  const at = place.contains(document.activeElement) ? key(document.activeElement) : null;
  place.replaceChildren(...children);
  if (at !== null) [...place.querySelectorAll("a, [tabindex]")].find((node) => key(node) === at)?.focus({ preventScroll: true });
}

export function say(text) {
  document.getElementById("said").textContent = text;
}

// What went wrong, and what to do; each finding of the service has both.
export function problem(error, findings = error.findings ?? []) {
  const lines = findings.length ? findings.map((one) => [one.field && asked(one.field), [one.device, one.port].filter(Boolean).join(" "), told(one)].filter(Boolean).join(": ")) : [error.message];
  return make("div", { class: "problem", role: "alert" }, lines.map((line) => make("p", {}, name(line))));
}

const UNITS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

export function short(value) {
  for (const [size, sign] of UNITS) {
    if (value >= size) return `${Number((value / size).toPrecision(3))}${sign}`;
  }
  return String(Number(value.toPrecision(3)));
}

// A number with its noun: 1 leaf, 2 leaves.
export const counted = (count, word) => `${count.toLocaleString("en")} ${count === 1 ? word : word === "leaf" ? "leaves" : `${word}s`}`;

export const percent = (share) => `${Number((share * 100).toPrecision(3))} %`;

export function age(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
