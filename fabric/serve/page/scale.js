// How a figure of a line becomes a step of a colour scale, and words.

import { percent, short } from "./dom.js";

const SHARES = [0, 0.2, 0.4, 0.6, 0.8];
const RATES = [0, 1e-9, 10, 100, 1000];

export const VIEWS = {
  state: { label: "State" },
  load: { label: "Load", steps: SHARES, words: ["below 20 %", "20 to 40 %", "40 to 60 %", "60 to 80 %", "80 % and more"], tell: percent },
  pause_per_s: { label: "Pauses", steps: RATES, words: ["none", "below 10 /s", "10 to 100 /s", "100 to 1,000 /s", "1,000 /s and more"], tell: (value) => `${short(value)} /s` },
  error_per_s: { label: "Errors", steps: RATES, words: ["none", "below 10 /s", "10 to 100 /s", "100 to 1,000 /s", "1,000 /s and more"], tell: (value) => `${short(value)} /s` },
};

export const STATES = {
  planned: "planned",
  quarantine: "in quarantine, as planned",
  oversubscribed: "uplink of an oversubscribed switch",
  degraded: "degraded",
  down: "down or missing",
  lossless: "fails a lossless rule",
  wrong: "wrong cable",
};

// The same, as what is counted.
export const CABLES = {
  planned: "cables as planned (link and neighbour)",
  quarantine: "cables in quarantine, as planned",
  oversubscribed: "uplinks of oversubscribed switches",
  degraded: "degraded cables",
  down: "cables down or missing",
  lossless: "cables that fail a lossless rule",
  wrong: "wrong cables",
};

export function step(view, value) {
  if (value === null || value === undefined) return "unknown";
  const { steps } = VIEWS[view];
  const at = steps.findLastIndex((least) => value >= least);
  return `step${Math.max(0, at)}`;
}

// What was not looked at has no number.
export function total({ totals, unread }, state) {
  const unknown = state === "lossless" ? "not checked" : "not read";
  if (totals[state] === null) return unknown;
  const count = totals[state].toLocaleString("en");
  return unread[state] ? `${count} (${unread[state].toLocaleString("en")} ${unknown})` : count;
}
