// What is not as planned in the things that a line or a box stands for: how many, and which.

import { counted } from "./dom.js";

const WORDS = { degraded: "degraded", down: "down", wrong: "wrong", lossless: "fail a rule", quarantine: "in quarantine" };

const isTrouble = (state) => state !== "quarantine" && Object.hasOwn(WORDS, state);

// "1 of 16 down": a part of what a line or a box stands for.
export function words(count, of, word) {
  return `${count.toLocaleString("en")} of ${of.toLocaleString("en")} ${word}`;
}

// The state that some cables of a line have, while others are as planned; null where all are alike.
export function part({ state, states, cables }) {
  if (state === "planned" && states.quarantine) return "quarantine";
  return isTrouble(state) && states[state] < cables ? state : null;
}

// "1 of 16 down" for such a line; else "".
export function share(line) {
  const state = part(line);
  return state ? words(line.states[state], line.cables, WORDS[state]) : "";
}

// Members of a box that are not as planned, each with its words.
export function members(picture, number) {
  const found = sickOf(picture, number);
  const { differ, sessions_down: sessions } = picture.boxes[number];
  for (const [name, count] of Object.entries(sessions)) found.set(name, [found.get(name), lost(count)].filter(Boolean).join(", "));
  for (const name of Object.keys(differ)) found.set(name, [found.get(name), "differs from the plan"].filter(Boolean).join(", "));
  return found;
}

// Those with a condition, or with a cable that is not as planned.
function sickOf(picture, number) {
  const box = picture.boxes[number];
  const mine = new Set(box.members);
  const found = new Map();
  for (const line of picture.lines.filter(({ lower }) => lower.includes(number))) {
    for (const [state, names] of Object.entries(line.not_planned)) {
      for (const name of names) if (mine.has(name)) found.set(name, `cable ${WORDS[state]}`);
    }
  }
  for (const [name, health] of Object.entries(box.conditions)) found.set(name, health);
  return found;
}

// How a box is: "" as planned, "all" each of its devices has a condition, "some" a part of it.
export function extent(picture, number) {
  const box = picture.boxes[number];
  if (Object.keys(box.conditions).length === box.members.length) return "all";
  return box.health || cablesOf(picture, number) || sickOf(picture, number).size ? "some" : "";
}

// What a box says of it in its second line of text; null for its own words.
export function note(picture, number) {
  const box = picture.boxes[number];
  if (extent(picture, number) !== "some") return null;
  const own = Object.values(box.conditions);
  if (own.length) return words(own.length, box.members.length, own.every((one) => one === own[0]) ? own[0] : "with a condition");
  return cablesOf(picture, number);
}

// The same in few letters: "1 of 16 cables down", "1/16 cables down" or "1 cable down"; undefined where none fits.
export function fitted(text, most) {
  return [text, text.replace(" of ", "/"), text.replace(/ of \S+/u, "").replace(/^1 cables/u, "1 cable")].find(({ length }) => length <= most);
}

// What `rocefab drift` found in the devices of a box; "" nothing.
export function differing({ differ, members }) {
  const count = Object.keys(differ).length;
  if (!count) return "";
  return members.length === 1 ? "differs from the plan" : `${words(count, members.length, count === 1 ? "differs" : "differ")} from the plan`;
}

const lost = (count) => counted(count, "BGP session") + " down";

// BGP sessions of the devices of a box that are down; "" none.
export function sessionsDown({ sessions_down: sessions }) {
  const count = Object.values(sessions).reduce((sum, one) => sum + one, 0);
  return count ? lost(count) : "";
}

// "1 of 16 cables down" or, with none of them down, "degraded"; null for neither. A line of several lower boxes does not tell which box they are of.
function cablesOf(picture, number) {
  const mine = picture.lines.filter(({ lower, upper }) => upper === number || (lower.length === 1 && lower[0] === number));
  const sum = (figure) => mine.reduce((total, line) => total + figure(line), 0);
  const counts = ["down", "degraded"].map((state) => [state, sum(({ states }) => states[state] ?? 0)]);
  const [state, count] = counts.find(([, number]) => number) ?? [];
  const of = sum(({ cables }) => cables);
  return count ? words(count, of, `${of === 1 ? "cable" : "cables"} ${WORDS[state]}`) : null;
}
