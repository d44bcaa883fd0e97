// What if: click cables and switches away, and see what that does.

import { post, query } from "./api.js";
import { Board } from "./board.js";
import { title } from "./drawing.js";
import { badge, card, counted, facts, link, make, problem, say, table } from "./dom.js";
import { filterForm } from "./filters.js";
import { NO_RAIL, rails, shut, tenants } from "./legend.js";
import { STATES } from "./scale.js";
import { load } from "./device.js";
import { words as share } from "./trouble.js";

const MOST = 1000;
const GROUP = "group:"; // before the first member of a group, in the address
const WAIT_MS = 150;

export async function open(root, _parts, { fail = "", ...filters }) {
  const failed = new Map(); // words of the command -> { name, text, words }: in the address, on a chip, and all that it stands for
  const warn = (error) => {
    answer.replaceChildren();
    trouble.replaceChildren(problem(error));
    trouble.scrollIntoView({ block: "nearest" }); // the map is taller than a small screen
  };
  const board = new Board((kind, number) => kind !== null && toggle(kind, number).then(changed, warn), false);
  const chips = make("ul", { class: "chips", "aria-label": "What fails" });
  const trouble = make("div", {});
  const answer = make("div", { class: "answer" });
  const tools = make("div", { class: "tools" });
  const hint = make("p", { class: "faint" }, "Click a switch, a host or a cable, or press Enter on it: it fails. Again: it works. The rest is as planned in the inventory.");
  let turn = 0;
  root.append(make("div", { class: "head" }, make("h1", {}, "What if"), hint), tools, chips, trouble, board.element, answer);
  await board.load(filters);
  tools.append(filterForm(board.picture.filters, filters, (next) => {
    location.hash = `#${query("/what-if", next)}`;
  }));
  board.legendOf([...rails(board.picture, NO_RAIL, false), ...shut(board.picture), ["fails", "fails"], ["some", "some of the cables of a line fail"], ["hurt", "host that loses bandwidth"], ...tenants(board.picture)]);
  paint({ devices: [], lines: [] });
  const missing = [];
  for (const name of fail.split(/,(?![^[]*\])/u).filter(Boolean)) {
    const [kind, number] = placed(board.picture, name);
    if (number >= 0) await toggle(kind, number).catch(warn);
    else if (/[:[]/u.test(name) || board.picture.boxes.some(({ members }) => members.includes(name))) failed.set(name, { name, text: name, words: [name] });
    else missing.push(name);
  }
  if (failed.size) changed();
  if (missing.length) warn(new Error(`${missing.join(", ")}: not in this picture; choose what fails again`));
  return () => {
    turn += 1;
  };

  async function toggle(kind, number) {
    const words = kind === "box" ? ofBox(board.picture.boxes[number]) : await ofLine(board.picture, number);
    if (failed.delete(words.join(","))) return;
    const text = kind === "box" ? title(board.picture.boxes[number]) : board.describe(number);
    if (words.length + [...failed.values()].flatMap((one) => one.words).length > MOST) throw new Error(`more than ${MOST} things; choose a unit first, and then its devices`);
    failed.set(words.join(","), { name: named(board.picture, kind, number), text, words });
  }

  function changed() {
    if (!root.isConnected) return; // another view has the address
    trouble.replaceChildren();
    const names = [...failed.values()].map(({ name }) => name).join(",");
    history.replaceState(null, "", `#${query("/what-if", { ...filters, fail: names })}`);
    chips.replaceChildren(...[...failed.entries()].map(([key, { text }]) => make("li", {},
      make("button", { type: "button", "aria-label": `${text} works again`, onclick: () => {
        failed.delete(key);
        changed();
      } }, text, make("span", { "aria-hidden": "true" }, " ×")))));
    ask();
  }

  async function ask() {
    const mine = (turn += 1);
    const fail = [...new Set([...failed.values()].flatMap((one) => one.words))];
    try {
      const failing = await post(query("/v1/map/failing", filters), { fail });
      if (mine !== turn) return;
      paint(failing);
      if (!fail.length) {
        answer.replaceChildren();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS)); // more may be clicked
      if (mine !== turn) return;
      const found = await post("/v1/whatif", { fail });
      if (mine !== turn) return;
      paint(failing, found.hosts_hit);
      answer.replaceChildren(...shown(found));
      say(found.verdict);
    } catch (error) {
      if (mine === turn) warn(error);
    }
  }

  function paint({ devices, lines }, hurt = []) {
    const { drawing, picture } = board;
    const count = (names) => picture.boxes.map(({ members }) => members.filter((name) => names.has(name)).length);
    const gone = new Set(devices);
    const failing = count(gone);
    const losing = count(new Set(hurt.filter((name) => !gone.has(name))));
    const texts = picture.lines.map(({ cables }, number) => failure(lines[number], cables));
    const isPart = (number) => texts[number] !== "" && lines[number] < picture.lines[number].cables;
    drawing.mark("box", (number) => (failing[number] ? kindOf(failing[number], picture.boxes[number].members.length) : losing[number] ? "hurt" : ""));
    drawing.mark("line", (number) => (isPart(number) ? "some" : texts[number] && "fails"));
    drawing.share(texts.map((text, number) => (isPart(number) ? ["fails", text] : ["", ""])));
    picture.boxes.forEach((box, number) => {
      const of = box.members.length;
      const fails = failure(failing[number], of);
      const lose = losing[number] ? share(losing[number], of, "lose") : "";
      drawing.note(number, ...(of > 1 ? [fails || lose].filter(Boolean).flatMap((text) => [text, text.replace(" of ", "/")]) : []));
      const now = [fails || "works", lose && `${of > 1 ? lose : "loses"} bandwidth`].filter(Boolean).join(", ");
      drawing.title("box", number, `${title(box)}, ${box.detail}: ${now}`);
    });
    picture.lines.forEach(({ off }, number) => drawing.title("line", number, `${board.describe(number)}: ${off ? STATES[off] : texts[number] || "works"}`));
  }
}

// What fails, in the address: a device, the first of a group, or the first ones at both ends of a line.
function named({ boxes, lines }, kind, number) {
  const first = (box) => boxes[box].members[0];
  if (kind === "line") return `${first(lines[number].lower[0])} ${first(lines[number].upper)}`;
  return boxes[number].members.length > 1 ? `${GROUP}${first(number)}` : first(number);
}

// The same back. Words of the command, such as spine01 of a group and spine[01-02], are asked as they are.
function placed({ boxes, lines }, name) {
  const [low, up] = name.replace(GROUP, "").split(" ").map((end) => boxes.findIndex(({ members }) => members.includes(end)));
  if (up !== undefined) return ["line", lines.findIndex(({ lower, upper }) => lower.includes(low) && upper === up)];
  return ["box", name.startsWith(GROUP) || boxes[low]?.members.length === 1 ? low : -1];
}

// "fails", "1 of 32 fails", or "" where nothing does.
function failure(count, of) {
  if (count === of) return "fails";
  return count ? share(count, of, count === 1 ? "fails" : "fail") : "";
}

const kindOf = (count, of) => (count < of ? "fails some" : "fails");

const ofBox = (box) => box.members.map((member) => `${box.kind === "host" ? "host" : "switch"}:${member}`);

async function ofLine(picture, number) {
  const line = picture.lines[number];
  const below = line.lower.flatMap((one) => picture.boxes[one].members);
  const above = picture.boxes[line.upper].members;
  if (line.kind === "switch") {
    if (below.length * above.length > MOST) throw new Error(`more than ${MOST} pairs of switches; choose a unit first`);
    return below.flatMap((low) => above.map((up) => `cable-bundle:${low}:${up}`));
  }
  if (below.length > 64) throw new Error("the line has the NICs of more than 64 hosts; choose a unit or a rail first");
  const devices = await Promise.all(below.map(load));
  const ports = devices.flatMap(({ planned }) => planned.ports).filter((port) => above.includes(port.peer));
  return ports.map((port) => `link:${port.peer}:${port.peer_port}`);
}

// Hosts that lose a rail and have no other: those that fail themselves too.
function cutOff({ rails_lost: lost, rail_losers: losers }) {
  const others = new Set(losers);
  return new Set(lost.map(({ host }) => host).filter((host) => !others.has(host))).size;
}

function shown(found) {
  const pairs = ({ before, cut }) => `${cut.toLocaleString("en")} of ${before.toLocaleString("en")}`;
  const hit = found.units.filter((one) => one.nic_gbps_left < one.nic_gbps || one.uplink_gbps_left < one.uplink_gbps);
  const pods = (found.pods ?? []).filter((one) => one.gbps_left < one.gbps);
  const left = (now, before) => make("span", { class: "left" }, make("meter", { min: 0, max: before || 1, value: now, "aria-label": "what is left" }), ` ${now.toLocaleString("en")} of ${before.toLocaleString("en")}G`);
  return [make("div", { class: "cards" },
    card("Impact",
      make("p", {}, found.safe ? badge(found.harmless ? "good" : "window", found.verdict) : badge("down", "not harmless")),
      make("ul", {}, found.reasons.map((reason) => make("li", {}, reason))),
      facts([["pairs of leaves cut", pairs(found.leaf_pairs)], ["pairs of hosts cut", pairs(found.host_pairs)],
        ["rails that split", found.rails_split.length ? found.rails_split.map((one) => `rail ${one.rail} into ${one.parts} parts`).join(", ") : "none"],
        ["hosts that lose a rail, and keep others", found.rail_losers.length.toLocaleString("en")],
        ["hosts cut off", cutOff(found).toLocaleString("en")]])),
    card("Traffic that moves", found.moved.length
      ? facts(found.moved.map((one) => [counted(one.switches, one.role), one.times === null ? "no uplink is left" : `each uplink that is left carries up to ${one.times.toFixed(2)} times its traffic`]))
      : make("p", { class: "faint" }, "None."))),
  hit.length ? make("section", { class: "card wide" }, make("h2", {}, "Units"), table("Units", ["unit", "NICs", "uplinks"],
    hit.map((one) => [one.unit, left(one.nic_gbps_left, one.nic_gbps), left(one.uplink_gbps_left, one.uplink_gbps)]))) : null,
  pods.length ? make("section", { class: "card wide" }, make("h2", {}, "Bandwidth to other pods"), table("Pods", ["pod", "bandwidth"],
    pods.map((one) => [one.pod, left(one.gbps_left, one.gbps)]))) : null,
  found.worst_hosts.length ? make("section", { class: "card wide" }, make("h2", {}, "Hosts that keep least"), table("Hosts", ["host", "bandwidth", "slowest NIC"],
    found.worst_hosts.map((one) => [link(one.host, "device", one.host), left(one.gbps_left, one.gbps), `${(100 * one.nic_share_left).toFixed(1)} %`]))) : null,
  found.tenants?.length ? make("section", { class: "card wide" }, make("h2", {}, "Tenants"), table("Tenants", ["tenant", "NICs down", "pairs of NICs cut", "pairs of hosts cut", "bandwidth"],
    found.tenants.map((one) => [one.tenant, ...[one.nics_lost, one.nic_pairs_cut, one.host_pairs_cut].map((count) => count.toLocaleString("en")), left(one.gbps_left, one.gbps)]))) : null,
  ].filter(Boolean);
}
