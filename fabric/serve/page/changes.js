// Plans for review, and the runs of the journal.

import { post, watch } from "./api.js";
import { badge, card, link, make, name, problem, refill, say, table } from "./dom.js";

export const clock = (seconds) => (seconds === null ? "–" : `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`);
export const when = (seconds) => make("span", { class: "when" }, clock(seconds));
export const hasEnded = (state) => state === "done" || state === "failed";
export const runState = ({ state, rolled_back: back }) => badge(back ? "window" : state === "done" ? "good" : state === "failed" || state === "interrupted" ? "down" : "window", [state, back].filter(Boolean).join(", "));
export const risk = (word) => badge(word === "harmless" ? "good" : word === "brief loss" ? "window" : "down", word);


// Whether a plan may be applied; or the run that has applied it, or is at it.
export function planState({ run, stale, counting, needed }) {
  if (run) return make("span", {}, run.state === "done" && !run.rolled_back ? badge("good", "applied") : runState(run), " ", link(`Run ${run.run}`, "run", String(run.run)));
  if (stale) return badge("down", stale);
  return counting.length >= needed ? badge("good", "may be applied") : badge("window", "waits for approval");
}

export async function open(root) {
  const plans = card("Plans for review", make("p", { class: "faint" }, "Loading."));
  const runs = card("Runs", make("p", { class: "faint" }, "Loading."));
  const file = make("input", { type: "file", id: "plan-file", accept: ".json,application/json" });
  const wrong = make("div", {});
  const form = make("form", { class: "ask", onsubmit: (event) => {
    event.preventDefault();
    wrong.replaceChildren();
    sendPlan(file.files[0]).catch((error) => wrong.replaceChildren(problem(error)));
  } },
  make("label", { for: "plan-file" }, "Plan file, as rocefab plan --out writes it", file),
  make("button", { class: "main" }, "Send for review"));
  root.append(make("div", { class: "head" }, make("h1", {}, "Changes")), form, wrong,
    make("div", { class: "stack" }, plans, runs));
  const stops = [
    watch("/v1/plans", (found) => found && fill(plans, planTable(found)), (error) => fill(plans, [problem(error)])),
    watch("/v1/runs", (found) => found && fill(runs, runTable(found)), (error) => fill(runs, [problem(error)])),
  ];
  return () => stops.forEach((stop) => stop());
}

const fill = (place, children) => refill(place, [place.firstChild, ...children]);

async function sendPlan(file) {
  if (file === undefined) throw new Error("Choose a plan file first.");
  const { sha256 } = await post("/v1/plans", await file.text(), { raw: true });
  say("The plan is sent for review");
  location.hash = `#/plan/${sha256}`;
}

function planTable({ plans }) {
  if (!plans.length) return [make("p", { class: "faint" }, "No plan was sent for review.")];
  return [table("Plans for review", ["plan", "sent", "by", "devices", "risk", "approvals", "state"], plans.map((one) => [
    make("a", { href: `#/plan/${one.sha256}` }, one.sha256.slice(0, 12)), when(one.at), one.by, String(one.devices),
    one.risk && risk(one.risk), `${one.counting.length} of ${one.needed}`,
    planState(one),
  ]), { class: "scroll stacked rows" })];
}

function runTable({ runs, journal, chain, whole }) {
  const state = whole === null ? make("p", { class: "faint" }, "There is no journal yet in ", make("code", {}, journal), ".")
    : make("p", {}, badge(whole ? "good" : "down", whole ? "journal undamaged" : "journal damaged"), " ", name(chain));
  if (!runs.length) return [state];
  return [state, table("Runs", ["run", "kind", "begun", "by", "state", "devices", "ticket", "reason"], runs.map((one) => [
    link(`Run ${one.run}`, "run", String(one.run)), one.kind, when(one.started), one.user && `${one.user} on ${one.host}`, runState(one),
    Object.entries(one.devices).map(([word, count]) => `${count} ${word}`).join(", "), one.ticket, one.reason,
  ]), { class: "scroll tall stacked rows" })];
}
