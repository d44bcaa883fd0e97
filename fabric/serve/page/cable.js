// A cable with both of its ends.

import { get } from "./api.js";
import { badge, card, facts, link, make, name, problem, table } from "./dom.js";
import { headroom, isDrifted, load, neighbour, network, off, owner, panel, readWhen, state, status } from "./device.js";
import { tiles } from "./series.js";
import { grouped, noted, setting } from "./words.js";

const TILES = 12;

export async function open(root, [device, port]) {
  const near = await load(device);
  const own = near.planned.ports.find((one) => one.port === port);
  if (own === undefined) throw new Error(`${device} has no planned cable in ${port}; open the device to see its ports`);
  const far = await load(own.peer);
  const other = far.planned.ports.find((one) => one.port === own.peer_port);
  const title = make("h1", {}, name(`${device} ${port}`), panel(own.panel), " – ", name(`${own.peer} ${own.peer_port}`), panel(own.peer_panel));
  const facts_ = make("p", { class: "faint" }, `${own.speed_gbps}G, ${own.cable_m} m${own.rail === null ? "" : `, rail ${own.rail}`}`);
  root.append(
    make("div", { class: "head" }, title, facts_, own.enabled ? null : off(own)),
    make("div", { class: "cards two" }, end(near, own), other ? end(far, other) : null),
  );
  const isHost = near.planned.kind === "host";
  const [leaf, at] = isHost ? [own.peer, own.peer_port] : [device, port];
  const ofPort = (what, of, its) => `/v1/devices/${encodeURIComponent(of)}/${what}?port=${encodeURIComponent(its)}`;
  await Promise.all([
    ...(isHost || own.kind === "host" ? [part(root, "Both ends, as planned", ofPort("cable", device, port), compared)] : []),
    part(root, "Headroom, explained", ofPort("budget", leaf, at), ({ rows }) => [table("Headroom", ["part", "item", "value", "how"], rows, { class: "scroll stacked sum" })]),
  ]);
}

// A part of the page that comes after the rest.
async function part(root, title, address, content) {
  const wait = make("p", { class: "faint" }, "Asking the service …");
  const section = make("section", { class: "card wide" }, make("h2", {}, title), wait);
  root.append(section);
  try {
    wait.replaceWith(...content(await get(address)));
  } catch (error) {
    wait.replaceWith(problem(error));
  }
}

function compared({ host, interface: nic, lines, verdicts }) {
  const rows = lines.map((one) => {
    const { label, told } = setting(one.item);
    return [label, told(one.host), told(one.switch), badge(one.verdict, one.verdict), because(one)];
  });
  const counts = Object.keys(verdicts).map((verdict) => [verdict, lines.filter((one) => one.verdict === verdict).length]);
  return [
    make("ul", { class: "verdicts", "aria-label": "Verdicts" }, counts.filter(([, count]) => count).map(([verdict, count]) =>
      make("li", {}, badge(verdict, `${count} ${verdict}`), ` ${verdicts[verdict]}`))),
    table("Settings of both ends", ["setting", "host", "switch", "verdict", "why"], rows, { class: "scroll stacked ends" }),
    make("p", { class: "faint" }, "From ", make("code", {}, `rocefab show cable ${host} ${nic}`), "."),
  ];
}

const because = ({ note, rule }) => (note || rule ? make("span", {}, note && [name(noted(note)), " "], rule && make("span", { class: "faint" }, name(rule))) : null);

function end(about, port) {
  const seen = state(about.running, port.port);
  const { shown } = tiles(about.series.filter((one) => one.labels.port === port.port), TILES);
  const runs = (planned, running, unit) => (running === null || running === undefined || running === planned ? `${planned}${unit}` : `${planned}${unit} (runs ${running}${unit})`);
  const conditions = Object.entries(about.conditions).filter(([subject]) => subject === about.planned.name || subject === `${about.planned.name}:${port.port}`);
  return card(`${about.planned.name} ${port.port}`,
    make("p", { class: "faint" }, link(about.planned.name, "device", about.planned.name), `, ${about.planned.kind}; ${readWhen(about)}`),
    facts([
      ...(isDrifted(about) ? [["drift", link("differs from the plan", "device", about.planned.name)]] : []),
      ["link", status(port, seen)],
      ...(owner(port) ? [["tenant", owner(port)]] : []),
      ["port on the panel", port.panel || "not known"],
      ["planned neighbour", make("span", {}, name(`${port.peer} ${port.peer_port}`), panel(port.peer_panel))],
      ["seen neighbour", neighbour(about.running, port) ?? make("span", { class: "faint" }, "not read")],
      ["speed", runs(port.speed_gbps, seen?.speed_gbps, "G")],
      ["MTU", grouped(runs(port.mtu_bytes, seen?.mtu_bytes, " bytes"))],
      ["FEC", runs(port.fec, seen?.fec, "")],
      ["network", network(port)],
      ["headroom", headroom(port, "bytes")],
      ...conditions.map(([subject, one]) => [subject, badge(one.health, `${one.health}${one.reason ? `: ${one.reason}` : ""}`)]),
    ]),
    shown.length ? make("div", { class: "tiles" }, shown) : make("p", { class: "faint" },
      about.rated.includes(port.port) ? "No counter of this port has risen." : "Counters: not known; no counter of this port has a rate."));
}
