// A run as it goes: waves, devices, gates, and the ways to end it.

import { get, post, watch } from "./api.js";
import { clock, hasEnded, risk, runState, when } from "./changes.js";
import { badge, card, facts, link, make, problem, refill, say, table } from "./dom.js";

const GOOD = { apply: ["done", "confirmed"], rollback: ["rolled-back"] };
const BAD = ["failed", "rolled-back", "rolling-back", "skipped"];

export async function open(root, [run]) {
  const path = `/v1/runs/${encodeURIComponent(run)}`;
  const wrong = make("div", {});
  const body = make("div", {});
  const actions = make("div", {});
  const state = make("span", {});
  root.append(make("div", { class: "head" }, make("h1", {}, `Run ${run}`), state), wrong, actions, body);
  let last = "";
  const take = (found) => {
    if (found === null) return;
    wrong.replaceChildren();
    state.replaceChildren(runState(found));
    const key = `${found.state} ${found.rollback} ${found.stop?.at ?? ""}`;
    if (key !== last) {
      actions.replaceChildren(ways(found, path, take, wrong));
      if (last) say(found.stop && !hasEnded(found.state) ? "The run was asked to stop" : `The run is ${found.state}`);
      last = key;
    }
    const place = document.scrollingElement.scrollTop;
    refill(body, content(found));
    document.scrollingElement.scrollTop = place;
  };
  take(await get(path));
  return watch(path, take, (error) => wrong.replaceChildren(problem(error)));
}

function ways(found, path, take, wrong) {
  const stop = make("button", { type: "button", class: "stop", onclick: async () => {
    try {
      take(await post(`${path}/stop`, {}));
    } catch (error) {
      wrong.replaceChildren(problem(error));
    }
  } }, "Stop this run");
  const asked = found.stop && make("p", {}, `Stop was requested ${clock(found.stop.at)}${found.stop.by ? ` by ${found.stop.by}` : ""}. `,
    found.kind === "apply" && "The wave in progress is rolled back, waves that are confirmed stay.");
  const command = (text, line) => make("p", {}, text, make("br", {}), make("code", {}, line));
  if (hasEnded(found.state) && (found.kind !== "apply" || !found.rollback)) return make("div", {});
  const title = found.state[0].toUpperCase() + found.state.slice(1);
  const dead = found.state === "interrupted";
  const ifDead = dead ? "" : "If no process works on it, it was interrupted. ";
  if (found.kind === "rollback") {
    return card(`Roll back ${found.state}`, dead ? null : asked || make("p", {}, stop),
      make("p", {}, `${ifDead}Type the command of the run that it rolls back again.`));
  }
  if (!hasEnded(found.state)) {
    return card(title,
      dead ? make("p", {}, "No process works on this run. Commit timers roll back what is not confirmed.")
        : asked || [make("p", {}, "A stop ends the run after the current step on each device, as Ctrl-C does: the wave in progress is rolled back."), make("p", {}, stop)],
      command(`${ifDead}To continue it, type where the passwords are:`, found.resume),
      command("To roll it back:", `${found.rollback} --commit`));
  }
  return card("Roll back", command("The service has no passwords of devices. Type this where they are; without --commit it lists the devices only:", `${found.rollback} --commit`));
}

function content(found) {
  return [
    make("div", { class: "stack" }, ...found.waves.map((one) => wave(one, found))),
    make("div", { class: "cards two" },
      card("About", facts([...found.facts.slice(1), ["plan", make("code", {}, found.plan_sha256)]])),
      card("Gates", found.gates.length ? table("Gates", ["when", "gate"], found.gates.map((one) => [when(one.at), one.text])) : make("p", { class: "faint" }, "No gate was checked.")),
    ),
    make("section", { class: "card wide" }, make("h2", {}, "Journal, newest first"),
      table("Journal", ["when", "device", "state", "detail"], [...found.rows].reverse().map((one) => [when(one.at), one.device, one.state.replace("-", " "), one.detail]), { class: "scroll tall" })),
  ];
}

function wave({ number, kind, devices }, run) {
  const good = GOOD[run.kind] ?? GOOD.apply;
  const done = devices.filter((one) => good.includes(one.state)).length;
  const label = `Wave ${number}${kind ? `, ${kind}` : ""}: ${done} of ${devices.length} ${run.kind === "rollback" ? "rolled back" : "done"}`;
  const state = (word) => {
    if (word === "not begun") return badge("kind", hasEnded(run.state) ? "not changed" : word);
    return badge(good.includes(word) ? "good" : BAD.includes(word) ? "down" : "window", word.replace("-", " "));
  };
  return make("section", { class: "card" }, make("h2", {}, label),
    make("meter", { min: "0", max: String(devices.length), value: String(done), "aria-label": label }),
    table(`Wave ${number}`, ["device", "risk", "state", "detail"], devices.map((one) =>
      [link(one.name, "device", one.name), risk(one.risk), state(one.state), one.detail]), { class: "scroll tall" }));
}
