// Hosts for a job: ask, and see them with their ranks and the load that they would bring.

import { get, post } from "./api.js";
import { Board } from "./board.js";
import { title } from "./drawing.js";
import { NO_RAIL, drift, rails, sick, tenants, troubles } from "./legend.js";
import { card, counted, facts, link, make, percent, problem, say, table } from "./dom.js";
import { JobForm } from "./job.js";
import { VIEWS, step } from "./scale.js";

const RANKS = 256;

export async function open(root, _parts, words) {
  const board = new Board((kind, number) => chosen(kind, number));
  const answer = make("div", { class: "answer" });
  const stale = make("p", { class: "warning", role: "status", hidden: true }, "The job was changed. What is shown is for the job before; choose hosts again.");
  const head = make("div", { class: "head" }, make("h1", {}, "Placement"), make("p", { class: "faint" }, "Nothing is reserved: a question changes nothing."));
  root.append(head, stale, board.element, answer);
  const [about] = await Promise.all([get("/v1/fabric"), board.load({})]);
  const form = new JobForm(about, board.picture, () => send(), () => mark());
  let found = null;
  let before = ""; // address of the job that is shown
  let turn = 0;
  head.after(form.element);
  board.legendOf(keys(board.picture, null));
  if (words.nodes !== undefined) {
    form.fill(words);
    ask();
  }
  return () => {
    turn += 1;
  };

  function send() {
    if (location.hash !== form.address) history.pushState(null, "", form.address);
    return ask();
  }

  async function ask() {
    const mine = (turn += 1);
    const address = form.address;
    if (!form.check()) {
      show(null, "");
      return;
    }
    root.classList.add("asking");
    answer.setAttribute("aria-busy", "true");
    try {
      const placed = await post("/v1/placements", { ...form.body, ranks: true, links: true });
      if (mine !== turn) return;
      show(placed, address);
      say(`${counted(placed.hosts.length, "host")}: ${placed.hostlist}`);
    } catch (error) {
      if (mine !== turn) return;
      show(null, "");
      const rest = form.refuse(error.findings ?? []);
      if (rest.length || !error.findings?.length) answer.replaceChildren(problem(error, rest));
    }
  }

  function show(placed, address) {
    found = placed;
    before = address;
    root.classList.remove("asking");
    answer.removeAttribute("aria-busy");
    answer.replaceChildren(...(placed === null ? [] : shown(placed, board.picture)));
    if (placed === null) unpaint(board);
    else paint(board, placed);
    mark();
  }

  // An answer is for the job that was asked, not for what the fields have since.
  function mark() {
    stale.hidden = found === null || form.address === before;
    root.classList.toggle("stale", !stale.hidden);
  }

  function chosen(kind, number) {
    board.drawing.select(kind, number);
    if (kind === "box" && found !== null) say(board.drawing.boxes[number].getAttribute("aria-label"));
  }
}

// Before an answer lines have the colours of rails and states, and after it those of load.
const keys = (picture, found) => (found === null
  ? [...rails(picture, NO_RAIL), ...troubles(picture), ...tenants(picture)]
  : [["lit", "host of the job"], ["lit cable", "cable of such a host"], ...VIEWS.load.words.map((word, at) => [`step${at}`, word]), ["unused", "not used"], ...sick(picture), ...tenants(picture)]);

function unpaint(board) {
  const { drawing, picture } = board;
  drawing.svg.classList.remove("by-figure");
  drawing.mark("line", () => "");
  drawing.mark("box", () => "");
  picture.boxes.forEach((box, number) => {
    drawing.note(number);
    drawing.title("box", number, `${title(box)}, ${box.detail}`);
  });
  picture.lines.forEach((_, number) => drawing.title("line", number, board.describe(number)));
  board.legendOf(keys(picture, null));
}

function paint(board, found) {
  const { drawing, picture } = board;
  board.legendOf(keys(picture, found));
  const boxOf = new Map(picture.boxes.flatMap((box, number) => box.members.map((member) => [member, number])));
  const ranks = new Map();
  for (const { host, rank } of found.ranks) {
    const number = boxOf.get(host);
    const [first, last, hosts] = ranks.get(number) ?? [rank, rank, new Set()];
    ranks.set(number, [Math.min(first, rank), Math.max(last, rank), hosts.add(host)]);
  }
  const loads = new Map();
  const lift = (low, up, load) => loads.set(`${low} ${up}`, Math.max(load, loads.get(`${low} ${up}`) ?? 0));
  for (const { lower, upper, up, down } of found.link_loads) {
    for (const name of lower) lift(boxOf.get(name), boxOf.get(upper), Math.max(up, down));
  }
  const of = picture.lines.map((line) => {
    if (line.kind === "host") return ranks.has(line.lower[0]) ? "nic" : null;
    const known = line.lower.map((low) => loads.get(`${low} ${line.upper}`)).filter((load) => load !== undefined);
    return known.length ? Math.max(...known) : null;
  });
  drawing.svg.classList.add("by-figure");
  drawing.mark("line", (line) => (of[line] === "nic" ? "lit" : of[line] === null ? "unused" : step("load", of[line])));
  drawing.mark("box", (number) => (ranks.has(number) ? "lit" : ""));
  picture.boxes.forEach((box, number) => {
    const mine = ranks.get(number);
    if (mine === undefined) {
      drawing.note(number);
      drawing.title("box", number, `${title(box)}, ${box.detail}`);
      return;
    }
    const [first, last, { size }] = mine;
    const range = first === last ? `${first}` : `${first}-${last}`;
    const words = first === last ? `rank ${first}` : `ranks ${first} to ${last}`;
    if (box.members.length > 1) drawing.note(number, `${size} of ${counted(box.members.length, "host")}`, counted(size, "host"));
    else drawing.note(number, `${first === last ? "rank" : "ranks"} ${range}`, range);
    drawing.title("box", number, `${title(box)}: ${counted(size, "host")} of the job, ${words}`);
  });
  picture.lines.forEach((line, number) => drawing.title("line", number, typeof of[number] === "number" ? `load ${percent(of[number])}` : of[number] === "nic" ? "cable of a host of the job" : "not used by the job"));
}

// A value of each port of the NIC of a rank.
const ports = (rank, name) => rank.ports.map((port) => port[name]).join(", ");

function shown(found, picture) {
  const hosts = Object.entries(found.units).map(([unit, some]) => [unit, counted(some.length, "host")]);
  const warned = [...found.warnings, ...Object.entries(found.degraded).map(([host, why]) => `${host}: ${why}`)];
  const notPlanned = [found.links_not_as_planned, found.not_considered, found.not_needed].flatMap(Object.entries);
  const rows = found.ranks.slice(0, RANKS).map((one) => [one.rank, link(one.host, "device", one.host), one.gpu, ports(one, "interface"), one.rail, ports(one, "leaf")]);
  return [
    ...warned.map((text) => make("p", { class: "warning" }, text)),
    make("div", { class: "cards" },
      card("Hosts", make("p", { class: "hostlist" }, make("code", {}, found.hostlist)), facts(hosts), make("p", { class: "faint" }, found.reason)),
      card("Predicted", facts([
        ["fullest cable between switches", percent(found.link_load)],
        ["the same where ECMP hashes the flows", percent(found.link_load_hashed)],
        ["bandwidth of the job, of the line rate", percent(found.rate)],
        ["bottleneck", found.bottleneck],
        ["load above that of the best hosts", found.gap === null ? "not known" : percent(found.gap)],
      ])),
      card("Not as planned", notPlanned.length
        ? facts(notPlanned.slice(0, 20))
        : make("p", { class: "faint" }, "Nothing is reported."),
      drift(picture).length ? make("p", { class: "faint" }, "Drift does not count: devices that differ from the plan take jobs like others.") : null)),
    make("section", { class: "card wide" }, make("h2", {}, `Ranks (${found.ranks.length.toLocaleString("en")})`),
      table("Ranks", ["rank", "host", "GPU", "NIC", "rail", "leaf"], rows, { class: "scroll tall" }),
      found.ranks.length > RANKS ? make("p", { class: "faint" }, `The first ${RANKS} ranks are shown.`) : null),
  ];
}
