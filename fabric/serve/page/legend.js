// What a picture draws by colour and border, as keys of its legend.

import { STATES } from "./scale.js";
import { differing, extent } from "./trouble.js";

const COLOURS = 8; // of rails and of tenants, in turn
const NAMES = 3;
const OWNED = { tenant: "owned tenant", mixed: "owned mixed tenant" }; // borders of one tenant

export const SICK = { all: ["sick", "device with a condition"], some: ["sick some", "some of its devices or cables are not as planned"] };

// Of grey lines, in a picture that colours rails.
export const NO_RAIL = "cables of no single rail";

export const hue = (kind, number) => `${kind}${number % COLOURS}`;

// Whose a box is, as classes of its border; "" of nobody.
export function owner(picture, { border, tenants }) {
  if (border === "shared") return "owned shared";
  return border in OWNED ? hue(OWNED[border], picture.tenants.indexOf(Object.keys(tenants)[0])) : "";
}

// Colours of cables: one for each rail, also where some of a line are down, and grey for those as planned of no rail.
export function rails({ lines }, grey, live = true) {
  const planned = lines.filter(({ state, off }) => (live ? state === "planned" : off === null)).map(({ rail }) => rail);
  const coloured = lines.filter(({ off }) => off === null || off === undefined).map(({ rail }) => rail);
  const numbers = [...new Set(coloured)].filter((rail) => rail >= 0).sort((a, b) => a - b);
  return [...keys("rail", ["rail", "rails"], numbers.map((number) => [number, number])), ...(planned.includes(-1) ? [["planned", grey]] : [])];
}

// Cables that the inventory does not use.
export function shut({ lines }) {
  const states = Object.keys(STATES).filter((state) => lines.some(({ off }) => off === state));
  return [...states.map((state) => [state, STATES[state]]), ...apart({ lines })];
}

// Lines of which some cables are in quarantine.
export function apart({ lines }) {
  return lines.some(({ off, states }) => off === null && states.quarantine) ? [["apart", "some cables of a line in quarantine"]] : [];
}

// Borders of boxes: one for each tenant, and one for those of several.
export function tenants(picture) {
  const drawn = new Set(picture.boxes.map((box) => owner(picture, box)));
  const alone = (kind) => keys(kind, ["tenant", "tenants"], picture.tenants.map((name, number) => [number, name]).filter(([number]) => drawn.has(hue(kind, number))));
  const mixed = alone(OWNED.mixed).map(([kind, text]) => [kind, `${text} in part`]);
  return [...alone(OWNED.tenant), ...mixed, ...(drawn.has("owned shared") ? [["owned shared", "several tenants"]] : [])];
}

// What is not planned to be in use: states of cables, and borders of boxes.
export function troubles(picture) {
  const states = Object.keys(STATES).filter((state) => state !== "planned" && picture.lines.some((line) => line.state === state));
  return [...states.map((state) => [state, STATES[state]]), ...apart(picture), ...sick(picture)];
}

export function sick(picture) {
  const extents = picture.boxes.map((_, number) => extent(picture, number));
  return [...Object.keys(SICK).filter((how) => extents.includes(how)).map((how) => SICK[how]), ...drift(picture)];
}

// The mark of boxes with a device that differs from the plan.
export function drift({ boxes }) {
  const count = boxes.reduce((sum, { differ }) => sum + Object.keys(differ).length, 0);
  return boxes.some(differing) ? [["differs", `device that differs from the plan: ${count.toLocaleString("en")}`]] : [];
}

// One key for each colour; where there are more things than colours, some share it.
function keys(kind, [word, plural], named) {
  const shared = new Map();
  for (const [number, name] of named) shared.set(hue(kind, number), [...(shared.get(hue(kind, number)) ?? []), name]);
  return [...shared].map(([colour, names]) => {
    const more = names.length > NAMES ? ` and ${names.length - NAMES} more` : "";
    return [colour, `${names.length > 1 ? plural : word} ${names.slice(0, NAMES).join(", ")}${more}`];
  });
}
