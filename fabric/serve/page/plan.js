// A plan: its waves, what changes on each device and why, and its approvals.

import { get, post, remove, watch } from "./api.js";
import { clock, planState, risk, when } from "./changes.js";
import { age, badge, card, counted, facts, make, name, problem, say, table } from "./dom.js";

export async function open(root, [sha256]) {
  const path = `/v1/plans/${encodeURIComponent(sha256)}`;
  const head = make("div", { class: "head" }, make("h1", {}, `Plan ${sha256.slice(0, 12)}`));
  const side = make("div", { class: "cards two" });
  const waves = make("div", {});
  const wrong = make("div", {});
  root.append(head, wrong, side, waves);
  let shown = false;
  const take = (plan) => {
    if (plan === null) return;
    const at = side.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    side.replaceChildren(about(plan), approvals(plan, path, take, wrong));
    if (at !== null) side.querySelector("button")?.focus({ preventScroll: true });
    if (!shown) waves.replaceChildren(...notes(plan), ...plan.waves.map((wave) => waveCard(wave, path)));
    shown = true;
  };
  const first = await get(path);
  take(first);
  return watch(path, take, (error) => wrong.replaceChildren(problem(error)));
}

function about(plan) {
  return card("About", facts([
    ["fabric", plan.fabric],
    ["made by", plan.author],
    ["made", plan.made === null ? null : `${clock(plan.made)}, ${age(Math.max(0, Date.now() / 1000 - plan.made))} ago`],
    ["revision", plan.revision],
    ["sent", `${clock(plan.at)}${plan.by ? ` by ${plan.by}` : ""}`],
    ["devices that change", String(plan.waves.reduce((sum, wave) => sum + wave.devices.length, 0))],
    ["devices as planned", String(plan.unchanged)],
    ["SHA-256", make("code", {}, plan.sha256)],
  ]));
}

// What an approval rests on: SECURITY.md says the same.
const TRUSTED = [
  "Who approves, sends or deletes is the name of the token. Whoever has the token is that person.",
  "Who made the plan is what its file says. Neither that account nor who sent the plan can approve it.",
  "How many must approve is what the inventory says: that of this service here, and its fabric.yaml when the plan is applied.",
  "Approvals are not signed. Whoever can write the state folder of this service can change them.",
];

function approvals(plan, path, take, wrong) {
  const { you } = plan;
  const act = (run, text) => async () => {
    wrong.replaceChildren();
    try {
      take(await run());
      say(text);
    } catch (error) {
      wrong.replaceChildren(problem(error));
    }
  };
  const rows = plan.approvals.approvals.map((one) => [one.name, when(one.at), one.withdrawn === null ? badge("good", "approved") : badge("down", `withdrawn ${clock(one.withdrawn)}`)]);
  const button = you.has_approved
    ? make("button", { type: "button", "data-key": "withdraw", onclick: act(() => remove(`${path}/approval`), "Your approval is withdrawn") }, "Withdraw my approval")
    : you.why_not ? make("p", { class: "faint" }, "You cannot approve: ", name(you.why_not), ".")
      : make("button", { type: "button", class: "main", "data-key": "approve", onclick: act(() => post(`${path}/approval`, {}), "You have approved the plan") }, `Approve as ${you.name}`);
  return card(`Approvals: ${plan.counting.length} of ${plan.needed}`, make("p", {}, planState(plan)),
    rows.length ? table("Approvals", ["name", "when", "state"], rows) : null, make("p", {}, button),
    make("details", {}, make("summary", {}, "What is trusted"), make("ul", {}, TRUSTED.map((text) => make("li", {}, text)))));
}

function notes(plan) {
  const lines = [...plan.rollout, ...plan.missing.map((one) => `${one.device} is not in the plan: ${one.reason}; ${one.risk}`)];
  return lines.length ? [make("section", { class: "card wide" }, make("h2", {}, "Roll-out"), make("ul", {}, lines.map((line) => make("li", {}, name(line)))))] : [];
}

function waveCard(wave, path) {
  return make("section", { class: "card wide" }, make("h2", {}, `Wave ${wave.number}`), wave.about && make("p", { class: "faint" }, wave.about),
    wave.devices.map((device) => row(device, path)));
}

function row(device, path) {
  const place = make("div", {});
  let asked = false;
  const load = async (event) => {
    if (!event.target.open || asked) return;
    asked = true;
    place.replaceChildren(make("p", { class: "faint" }, "Loading."));
    try {
      place.replaceChildren(...changes(await get(`${path}/devices/${encodeURIComponent(device.name)}`)));
    } catch (error) {
      asked = false;
      place.replaceChildren(problem(error));
    }
  };
  const warned = [...(device.no_net ? [`No safety net: ${device.no_net}`] : []), ...device.notes];
  return make("details", { class: "change", ontoggle: load },
    make("summary", {}, name(device.name), " ", make("span", { class: "plainly" }, `${device.kind}, ${counted(device.changes, "change")} by ${device.method} `), risk(device.risk)),
    warned.map((text) => make("p", { class: "warning" }, name(text))), place);
}

function changes(found) {
  const rows = found.changes.map((one) => [
    one.path, make("pre", { class: "run" }, one.before || "nothing"), make("pre", { class: "plan" }, one.after || "nothing"), one.risk,
    one.causes.length ? make("ul", { class: "plain" }, one.causes.map((cause) => make("li", {}, make("code", {}, `${cause.field} = ${cause.value}`), " ", make("span", { class: "faint" }, name(cause.where))))) : null,
  ]);
  return [
    table(`Changes of ${found.name}`, ["setting", "running", "planned", "risk", "caused by"], rows, { class: "scroll tall" }),
    found.more > 0 && make("p", { class: "faint" }, `${found.more.toLocaleString("en")} more are in the difference.`),
    make("details", {}, make("summary", {}, "Difference"), diff(found.diff, found.name)),
  ].filter(Boolean);
}

function diff(text, device) {
  const kind = (line) => (line.startsWith("+") ? "plan" : line.startsWith("-") ? "run" : "");
  return make("pre", { class: "diff scroll tall", tabindex: "0", role: "region", "aria-label": `Difference of ${device}` },
    text.split("\n").map((line) => make("span", { class: kind(line) }, `${line}\n`)));
}
