// A device: planned, running, what differs, and its counters.

import { get } from "./api.js";
import { age, badge, card, facts, link, make, name, table } from "./dom.js";
import { tiles } from "./series.js";
import { bufferRow, plain } from "./words.js";

const TILES = 24;
const DIFFERENCES = 300;
const EVERY_MS = 5000;

export const load = (device) => get(`/v1/devices/${encodeURIComponent(device)}`);

export async function open(root, [device]) {
  let timer = 0;
  let stopped = false;
  let before = "";
  const show = async () => {
    const about = await load(device);
    const now = JSON.stringify(about);
    if (!stopped && now !== before) {
      const place = document.scrollingElement.scrollTop;
      const opened = new Set([...root.querySelectorAll("details[open]")].map((one) => one.dataset.key));
      const focused = root.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      root.replaceChildren(...content(about));
      root.querySelectorAll("details").forEach((one) => {
        one.open ||= opened.has(one.dataset.key);
      });
      if (focused !== null) root.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
      document.scrollingElement.scrollTop = before ? place : 0;
      before = now;
    }
    if (!stopped) timer = setTimeout(() => show().catch(() => {}), EVERY_MS);
  };
  await show();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function content(about) {
  const { planned, running } = about;
  return [
    make("div", { class: "head" }, make("h1", {}, name(planned.name)), badge("kind", planned.kind), ...conditions(about),
      make("p", { class: "faint" }, readWhen(about))),
    make("div", { class: "cards" },
      card("Planned", facts(planned.facts)),
      card("Running", ...runningFacts(planned, running)),
      card("Lossless policy", facts(planned.policy)),
      planned.buffer.length ? card("Buffer", facts(planned.buffer.map((row) => bufferRow(row, planned.ports.some(({ headroom_is_estimate: isEstimate }) => isEstimate))))) : null,
    ),
    drift(about),
    make("section", { class: "card wide" }, make("h2", {}, `Ports (${planned.ports.length})`), ports(planned, running, about.conditions)),
    planned.vlans.length ? make("section", { class: "card wide" }, make("h2", {}, "VLANs"),
      table("VLANs", ["VLAN", "name", "rail", "network", "gateway"], planned.vlans.map((one) => [one.vlan, one.name, one.rail, one.network, one.gateway]))) : null,
    counters(about),
    ...details(running),
  ].filter(Boolean);
}

function conditions({ planned, conditions: known, job }) {
  const found = Object.entries(known).filter(([subject]) => subject.split(":")[0] === planned.name).map(([subject, one]) =>
    badge(one.health, `${subject}: ${one.health}${one.reason ? `, ${one.reason}` : ""}`));
  return job === null ? found : [...found, badge("job", `job ${job}`)];
}

export function readWhen({ is_read: isRead, running, failure }) {
  const last = running?.time ? `read ${age(Math.max(0, (Date.now() - Date.parse(running.time)) / 1000))} ago` : "";
  if (failure) return [last, `the last reading failed: ${failure.slice(0, 300)}`].filter(Boolean).join("; ");
  if (last) return last;
  return isRead ? "not read: the file of readings has no record of it" : "not read: the service has no file of readings";
}

// Ports with a planned cable: a device has more interfaces, such as VLANs and free ports.
function portsUp({ ports: all }, running) {
  const cabled = all.filter(({ enabled }) => enabled);
  const states = cabled.map(({ port }) => state(running, port)?.up ?? null);
  const unread = states.filter((up) => up === null).length;
  const apart = all.filter(({ quarantined }) => quarantined).length;
  const off = all.length - cabled.length - apart;
  if (unread === cabled.length) return "not read";
  return [`${states.filter(Boolean).length} of ${cabled.length}`, unread && `${unread} not read`, apart && `${apart} in quarantine, as planned`, off && `${off} switched off as planned`].filter(Boolean).join(", ");
}

// A queue whose state is null is watched by a system that does not say whether a storm lasts.
function storms(queues) {
  const known = queues.filter(({ operational }) => operational !== null);
  const unknown = queues.length - known.length;
  if (!known.length) return "not known";
  return [String(known.filter(({ operational }) => operational === false).length), unknown && `${unknown} not known`].filter(Boolean).join(", ");
}

function runningFacts(planned, running) {
  if (running === null) return [make("p", { class: "faint" }, "Not read.")];
  const { facts: seen, bgp, watchdog } = running.state;
  const sessions = Object.values(bgp ?? {});
  return [facts([
    ["system", running.platform],
    ...(seen ? [["host name", seen.hostname], ["model", seen.model], ["version", seen.version], ["serial", seen.serial]].filter(([, value]) => value) : []),
    ["cabled ports that are up", portsUp(planned, running)],
    ...(sessions.length ? [["BGP sessions", `${sessions.filter((one) => one.established).length} of ${sessions.length} established`]] : []),
    ...(watchdog && Object.keys(watchdog).length ? [["queues in a pause storm", storms(Object.values(watchdog))]] : []),
    ...(running.unknown.length ? [["not understood", running.unknown.map(plain).join(", ")]] : []),
  ])];
}

// Whether a device is known to differ from the plan.
export const isDrifted = ({ drift: found, lasting }) => (lasting ?? [...(found?.drift ?? []), ...(found?.deviations ?? []).filter(({ unknown }) => !unknown)]).length > 0;

function drift({ drift: found, lasting, drift_written_s: written }) {
  const heading = make("h2", {}, "Drift: planned and running");
  const wrap = (...children) => make("section", { class: "card wide" }, heading, ...children);
  if (lasting !== null) return wrap(...events(lasting, written));
  if (found === null) {
    return wrap(make("p", { class: "faint" }, "Not read. Start the service with --drift FILE, the output of ", make("code", {}, "rocefab drift --format json"), " or the events of ", make("code", {}, "rocefab drift --watch"), "."));
  }
  const when = make("p", { class: "faint" }, `Compared ${age(Math.max(0, Date.now() / 1000 - written))} ago.`);
  if (found.error) return wrap(when, make("p", { class: "problem" }, name(`It could not be read: ${found.error}`)));
  if (found.ok === null) return wrap(when, make("p", { class: "faint" }, "It was not compared."));
  const all = [
    ...found.drift.map((one) => [one.path, make("pre", { class: "plan" }, one.planned || "nothing"), make("pre", { class: "run" }, one.running || "nothing")]),
    ...found.deviations.map((one) => [[one.subject, plain(one.item)].filter(Boolean).join(" "), null, make("pre", { class: one.unknown ? "" : "run" }, one.message)]),
  ];
  if (!all.length) return wrap(when, make("p", {}, badge("good", "as planned")));
  const rows = all.slice(0, DIFFERENCES);
  const rest = all.length - rows.length;
  return wrap(when, table("Drift", ["setting", "planned", "running"], rows, { class: "scroll tall" }),
    rest > 0 && make("p", { class: "faint" }, `${rest.toLocaleString("en")} more: rocefab drift lists them.`));
}

function events(lasting, written) {
  const when = make("p", { class: "faint" }, `The last event of the fabric was written ${age(Math.max(0, Date.now() / 1000 - written))} ago.`);
  if (!lasting.length) return [when, make("p", {}, badge("good", "no drift lasts"))];
  const rows = lasting.slice(0, DIFFERENCES).map((one) => [
    [one.port, one.field && plain(one.field)].filter(Boolean).join(" ") || one.rule,
    make("div", {}, one.planned && make("pre", { class: "plan" }, one.planned), make("p", { class: "faint" }, name(one.fix))),
    make("pre", { class: "run" }, one.running || one.message),
    make("time", { datetime: one.since }, one.since.slice(0, 19).replace("T", " ")),
    one.by.join(", "),
  ]);
  const rest = lasting.length - rows.length;
  return [when, table("Drift", ["setting", "planned", "running", "since (UTC)", "changed by"], rows, { class: "scroll tall" }),
    rest > 0 && make("p", { class: "faint" }, `${rest.toLocaleString("en")} more: the file of events has them.`)];
}

// Whose the NIC of a cable is.
export const owner = ({ tenant, quarantined }) => (quarantined ? "none: in quarantine" : tenant);

function ports(planned, running, known) {
  const isOwned = planned.ports.some(owner);
  const isKept = planned.ports.some(({ headroom_bytes: size }) => size !== null);
  const rows = planned.ports.map((port) => {
    const seen = state(running, port.port);
    return [
      make("span", {}, link(port.port, "cable", planned.name, port.port), panel(port.panel)),
      make("span", {}, link(port.peer, "device", port.peer), " ", name(port.peer_port), panel(port.peer_panel)),
      neighbour(running, port),
      make("span", {}, status(port, seen), ...conditionBadges(planned.name, port, known)),
      ...(isOwned ? [owner(port)] : []),
      `${port.speed_gbps}G${seen?.speed_gbps && seen.speed_gbps !== port.speed_gbps ? ` (runs ${seen.speed_gbps}G)` : ""}`,
      `${port.cable_m} m`,
      `${port.mtu_bytes.toLocaleString("en")}${seen?.mtu_bytes && seen.mtu_bytes !== port.mtu_bytes ? ` (runs ${seen.mtu_bytes.toLocaleString("en")})` : ""}`,
      network(port),
      ...(isKept ? [make("span", { class: "when" }, headroom({ ...port, headroom_lack: "" }, "B"))] : []),
    ];
  });
  const lacks = [...new Set(planned.ports.map((port) => port.headroom_lack).filter(Boolean))];
  return make("div", {}, lacks.length > 0 && make("p", { class: "faint" }, `Headroom: ${lacks.join(", ")}.`), table("Ports", ["port", "planned neighbour", "seen neighbour", "link", ...(isOwned ? ["tenant"] : []), "speed", "cable", "MTU", "network", ...(isKept ? ["headroom"] : [])], rows, { class: "scroll tall" }));
}

// What a port keeps after a pause; an estimate where a law gives it, which the switch may not get.
export const headroom = ({ headroom_bytes: size, headroom_is_estimate: isEstimate, headroom_lack: lack }, unit) => size === null ? null : `${size.toLocaleString("en")} ${unit}${isEstimate ? " (estimate)" : ""}${lack ? `; ${lack}` : ""}`;

export const network = ({ vlan, address, ipv6 }) => [vlan !== null && `VLAN ${vlan}`, address, ipv6].filter(Boolean).join(", ");

// The name on the front panel, where it is known.
export const panel = (text) => text && make("span", { class: "faint name" }, ` (panel ${text})`);

export const state = (running, port) => running?.state.interfaces?.[port] ?? running?.state.nics?.[port] ?? null;

// What the service was told of a cable: of its ends, and of the device at the other end.
const conditionBadges = (device, port, known) => [`${device}:${port.port}`, `${port.peer}:${port.peer_port}`, port.peer]
  .filter((subject) => known[subject]).flatMap((subject) => [" ", badge(known[subject].health, `${subject}: ${known[subject].health}`)]);

// What the inventory shuts is no defect.
export const off = ({ quarantined }) => badge("off", quarantined ? "in quarantine, as planned" : "switched off as planned");

export function status(port, seen) {
  if (!port.enabled) return off(port);
  if (seen === null || seen.up === null || seen.up === undefined) return make("span", { class: "faint" }, "not read");
  return seen.up ? badge("good", "up") : badge("down", seen.enabled === false ? "shut down on the device" : "down");
}

export function neighbour(running, port) {
  const lldp = running?.state.lldp;
  if (!lldp) return null;
  const seen = lldp[port.port] ?? [];
  if (!seen.length) return make("span", { class: "faint" }, "none seen");
  const text = seen.map((one) => `${one.system_name} ${one.port_id}`).join(", ");
  return make("span", { class: "seen" }, name(text));
}

export function counters({ series, rated, is_read: isRead }) {
  if (!isRead) return null;
  const heading = make("h2", {}, "Counters");
  if (!series.length) {
    return make("section", { class: "card wide" }, heading, make("p", { class: "faint" },
      rated.length ? "No counter has risen since the service started." : "Not known: no counter has a rate yet. Rates need two readings."));
  }
  const { shown, rest } = tiles(series, TILES);
  const body = make("div", { class: "tiles" }, shown);
  const more = rest > 0 && make("button", { type: "button", onclick: (event) => {
    body.replaceChildren(...tiles(series, series.length).shown);
    event.target.remove();
  } }, `Show ${rest} more`);
  return make("section", { class: "card wide" }, heading, body, more || null);
}

function details(running) {
  if (running === null) return [];
  const { bgp, lldp, tables } = running.state;
  const fold = (title, key, ...children) => make("details", { class: "card wide", "data-key": key }, make("summary", {}, title), ...children);
  const found = [];
  const sessions = Object.entries(bgp ?? {});
  if (sessions.length) {
    found.push(fold(`BGP sessions (${sessions.length})`, "bgp", table("BGP sessions", ["peer", "AS", "state"],
      sessions.map(([peer, one]) => [peer, one.asn, one.established ? badge("good", one.state) : badge("down", one.state)]))));
  }
  const seen = Object.entries(lldp ?? {}).flatMap(([port, some]) => some.map((one) => [port, one.system_name, one.port_id, one.description]));
  if (seen.length) found.push(fold(`LLDP neighbours (${seen.length})`, "lldp", table("LLDP neighbours", ["port", "system", "its port", "description"], seen)));
  const used = Object.entries(tables ?? {});
  if (used.length) found.push(fold(`Hardware tables (${used.length})`, "tables", table("Hardware tables", ["table", "entries", "size"], used.map(([key, one]) => [plain(key), one.used, one.capacity]))));
  return found;
}

