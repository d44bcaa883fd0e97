// The map, live: states, load, pauses and errors of the cables.

import { query, watch } from "./api.js";
import { Board } from "./board.js";
import { title } from "./drawing.js";
import { age, badge, card, counted, facts, link, make, problem, say } from "./dom.js";
import { filterForm } from "./filters.js";
import { SICK, apart, drift, hue, rails, sick, tenants } from "./legend.js";
import { differing, members as troubled, note, sessionsDown } from "./trouble.js";
import { CABLES, STATES, VIEWS, step, total } from "./scale.js";

const HOT = 8;
const MEMBERS = 500;
const NAMES = 50;

const address = (part, by) => query("#/map", { ...part, by: by === "state" ? "" : by });

function ownersOf(box) {
  const names = [...Object.keys(box.tenants), ...(box.is_mixed ? ["NICs of no tenant"] : [])];
  return names.length ? `, ${names.length > 3 ? `${names.length} tenants` : names.join(", ")}` : "";
}

export async function open(root, _parts, filters) {
  const { by = "state", ...part } = filters;
  const view = new MapView(root, part, Object.hasOwn(VIEWS, by) ? by : "state");
  await view.start();
  return () => view.stop();
}

class MapView {
  constructor(root, part, by) {
    this.part = part;
    this.by = by;
    this.values = null;
    this.tag = null;
    this.chosen = [null, -1];
    this.board = new Board((kind, number) => this.choose(kind, number));
    this.panel = make("aside", { class: "panel", "aria-label": "Chosen", hidden: true });
    this.tools = make("div", { class: "tools" });
    this.notes = make("div", { class: "notes" });
    this.cards = make("div", { class: "cards" });
    this.heading = make("h1", {}, "Map");
    this.subtitle = make("p", { class: "faint" });
    root.append(make("div", { class: "head" }, this.heading, this.subtitle), this.tools, this.notes, this.board.element, this.panel, this.cards);
    this.escape = (event) => {
      if (event.key === "Escape" && !this.panel.hidden) this.choose(null, -1, true);
    };
    document.addEventListener("keydown", this.escape);
  }

  async start() {
    await this.reload();
    this.unwatch = watch(query("/v1/map/values", this.part), (values) => this.take(values), (error) => this.fail(error));
  }

  stop() {
    this.unwatch?.();
    document.removeEventListener("keydown", this.escape);
  }

  async reload() {
    await this.board.load(this.part);
    const { picture } = this.board;
    this.subtitle.textContent = picture.subtitle;
    this.tools.replaceChildren(this.views(), filterForm(picture.filters, this.part, (next) => this.go(next, this.by)));
    this.paint();
  }

  async take(values) {
    if (values === null) return;
    const isNew = this.values !== null && this.values.picture !== values.picture;
    this.values = values;
    this.notes.replaceChildren(...values.warnings.map((text) => make("p", { class: "warning", role: "status" }, text)));
    if (isNew) {
      const [kind, number] = this.chosen;
      const before = document.activeElement?.closest?.(".box")?.dataset.box;
      await this.reload();
      if (kind !== null) this.choose(kind, number);
      if (before !== undefined) this.board.drawing.boxes[Number(before)]?.focus();
      return;
    }
    this.paint();
  }

  fail(error) {
    this.notes.replaceChildren(problem(error));
  }

  go(part, by) {
    location.hash = address(part, by);
  }

  views() {
    return make("fieldset", { class: "views" }, make("legend", {}, "Colour by"),
      Object.entries(VIEWS).map(([value, { label }]) => make("label", {},
        make("input", {
          type: "radio", name: "by", value, checked: value === this.by,
          onchange: () => {
            this.by = value;
            history.replaceState(null, "", address(this.part, value));
            this.paint();
          },
        }), make("span", {}, label))));
  }

  paint() {
    const { drawing, picture } = this.board;
    const { by, values } = this;
    drawing.svg.classList.toggle("by-figure", by !== "state");
    drawing.mark("line", (line) => (by === "state" ? "" : step(by, values?.[by][line])));
    picture.lines.forEach((_, line) => drawing.title("line", line, `${this.board.describe(line)}; ${this.told(line)}`));
    picture.boxes.forEach((box, number) => drawing.title("box", number, `${title(box)}, ${box.detail}${ownersOf(box)}${this.how(number)}`));
    if (this.chosen[0] !== null) drawing.select(...this.chosen);
    this.board.legendOf(this.keys());
    this.cards.replaceChildren(...[this.overview(), this.tenants(), this.hottest(), this.readings()].filter(Boolean));
  }

  how(number) {
    const { picture } = this.board;
    const words = [note(picture, number) ?? picture.boxes[number].health, sessionsDown(picture.boxes[number]), differing(picture.boxes[number])];
    return words.filter(Boolean).map((text) => `, ${text}`).join("");
  }

  keys() {
    const { picture } = this.board;
    if (this.by === "state") {
      const states = Object.keys(picture.totals).map((state) => [state, `${STATES[state]}: ${total(picture, state)}`]);
      const coloured = rails(picture);
      const planned = coloured.length ? coloured.map(([kind]) => kind) : "planned";
      return [[planned, states[0][1]], ...coloured.filter(([kind]) => kind !== "planned"), ...states.slice(1), ["some", "some of the cables of a line are not as planned"], ...apart(picture), ...Object.values(SICK), ...drift(picture), ...tenants(picture)];
    }
    const { words } = VIEWS[this.by];
    return [...words.map((word, at) => [`step${at}`, word]), ["unknown", "not read"], ...sick(picture), ...tenants(picture)];
  }

  told(line) {
    const states = Object.entries(this.board.picture.lines[line].states).map(([state, count]) => `${count} ${STATES[state]}`);
    return [...states, ...this.figures(line).map(([key, text]) => `${key.toLowerCase()} ${text}`)].join(", ");
  }

  figures(line) {
    const kinds = Object.entries(VIEWS).filter(([, { tell }]) => tell);
    return kinds.map(([key, { label, tell }]) => {
      const value = this.values?.[key][line];
      return [label, value === null || value === undefined ? "not read" : tell(value)];
    });
  }

  overview() {
    const { picture } = this.board;
    const sick = picture.boxes.flatMap((box, number) => [...Object.keys(box.conditions), ...box.at_ports].map((name) => [name, number]));
    const busy = picture.boxes.reduce((sum, box) => sum + box.busy, 0);
    const hosts = picture.boxes.filter((box) => box.kind === "host").reduce((sum, box) => sum + box.members.length, 0);
    const rows = Object.keys(picture.totals).filter((state) => picture.totals[state] !== 0 || picture.unread[state] || state === "planned")
      .map((state) => [CABLES[state], total(picture, state)]);
    return card("Overview", facts([
      ...rows,
      ["hosts with a job", `${busy.toLocaleString("en")} of ${hosts.toLocaleString("en")}`],
      ["devices with a condition", sick.length ? this.devices(sick) : "none reported"],
      ["BGP sessions down (ends)", this.sessions()],
      ["devices that differ from the plan", this.drift()],
    ]));
  }

  sessions() {
    const { boxes, sessions } = this.board.picture;
    if (sessions === null) return "not read";
    const named = boxes.flatMap((box, number) => Object.keys(box.sessions_down).map((name) => [name, number]));
    const down = boxes.flatMap((box) => Object.values(box.sessions_down)).reduce((sum, one) => sum + one, 0);
    const count = `${down.toLocaleString("en")} of ${sessions.toLocaleString("en")}`;
    return named.length ? make("span", {}, `${count}: `, this.devices(named)) : count;
  }

  drift() {
    const { boxes, compared } = this.board.picture;
    if (!compared) return "not compared";
    const named = boxes.flatMap((box, number) => Object.keys(box.differ).map((name) => [name, number]));
    const all = boxes.reduce((sum, { members }) => sum + members.length, 0);
    const rest = compared < all ? `${(all - compared).toLocaleString("en")} not compared` : "";
    return named.length ? make("span", {}, this.devices(named), rest && ` (${rest})`) : ["none", rest].filter(Boolean).join(", ");
  }

  tenants() {
    const { tenants, boxes } = this.board.picture;
    if (!tenants.length) return null;
    const rows = tenants.map((name, at) => [
      make("span", {}, make("span", { class: `swatch ${hue("owned tenant", at)}`, "aria-hidden": "true" }), name),
      counted(boxes.filter(({ kind }) => kind === "host").reduce((sum, box) => sum + (box.tenants[name] ?? 0), 0), "host"),
    ]);
    return card("Tenants", facts(rows));
  }

  hottest() {
    if (!this.values?.readings) return null;
    const by = this.by === "state" ? "load" : this.by;
    const found = this.values[by].map((value, line) => [value, line]).filter(([value]) => value > 0)
      .sort((a, b) => b[0] - a[0]).slice(0, HOT);
    const rows = found.map(([value, line]) => make("li", {}, this.lineButton(line), make("b", {}, VIEWS[by].tell(value))));
    return card(`Highest: ${VIEWS[by].label.toLowerCase()}`, rows.length ? make("ol", { class: "hot" }, rows) : make("p", { class: "faint" }, "None is above 0."));
  }

  readings() {
    const about = this.values?.readings;
    if (!this.values) return null;
    if (!about) {
      return card("Readings", make("p", { class: "faint" }, "Not read. Start the service with --readings FILE, and let ", make("code", {}, "rocefab observe --out FILE"), " append to it."));
    }
    return card("Readings", facts([
      ["devices read", about.devices.toLocaleString("en")],
      ...(about.partial ? [["of these, read in part", about.partial.toLocaleString("en")]] : []),
      ["devices whose last reading failed", about.failed.toLocaleString("en")],
      ["newest", about.age_s === null ? "none" : `${age(about.age_s)} ago`],
    ]));
  }

  // Names of devices; each opens the box that has it.
  devices(named) {
    const shown = named.slice(0, NAMES).flatMap(([name, number]) => [this.boxButton(number, name), " "]);
    return make("span", {}, shown, named.length > NAMES ? `and ${(named.length - NAMES).toLocaleString("en")} more` : "");
  }

  boxButton(number, name = title(this.board.picture.boxes[number])) {
    return make("button", { type: "button", class: "link", onclick: () => this.choose("box", number) }, name);
  }

  lineButton(line) {
    return make("button", { type: "button", class: "link", onclick: () => this.choose("line", line) }, this.board.describe(line));
  }

  choose(kind, number, back = false) {
    const [, before] = this.chosen;
    this.chosen = [kind, number];
    this.board.drawing.select(kind, number);
    this.panel.hidden = kind === null;
    if (kind === null) {
      if (back && before >= 0) this.board.drawing.boxes[before]?.focus();
      return;
    }
    const close = make("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.choose(null, -1, true) }, "×");
    this.panel.replaceChildren(close, ...(kind === "box" ? this.aboutBox(number) : this.aboutLine(number)));
    this.panel.scrollTop = 0;
    say(this.panel.querySelector("h2").textContent);
  }

  aboutBox(number) {
    const { picture } = this.board;
    const box = picture.boxes[number];
    const isOne = box.members.length === 1;
    const found = troubled(picture, number);
    const order = [...box.members].sort((a, b) => found.has(b) - found.has(a));
    const lines = picture.lines.map((line, at) => [line, at]).filter(([line]) => line.upper === number || line.lower.includes(number));
    return [
      make("h2", {}, title(box)), make("p", { class: "faint" }, `${box.kind}, ${box.detail}`),
      (note(picture, number) ?? box.health) && badge(box.health ?? "degraded", note(picture, number) ?? box.health),
      ...[sessionsDown(box), differing(box)].filter(Boolean).map((text) => badge("degraded", text)),
      isOne && make("p", {}, make("a", { class: "button main", href: `#/device/${encodeURIComponent(box.members[0])}` }, "Open the device")),
      box.opens && make("p", {}, make("button", { type: "button", class: "main", onclick: () => this.go({ ...this.part, ...box.opens }, this.by) }, "Show its devices")),
      !isOne && make("h3", {}, `${box.members.length.toLocaleString("en")} devices`),
      !isOne && make("ul", { class: "members" }, order.slice(0, MEMBERS).map((member) => make("li", {}, link(member, "device", member), found.has(member) && [" ", badge(found.get(member).split(",")[0], found.get(member))]))),
      box.members.length > MEMBERS && make("p", { class: "faint" }, `The first ${MEMBERS}; the search opens each.`),
      make("h3", {}, "Cables"),
      make("ul", { class: "plain" }, lines.map(([, at]) => make("li", {}, this.lineButton(at)))),
    ].filter(Boolean);
  }

  aboutLine(number) {
    const { picture } = this.board;
    const line = picture.lines[number];
    const states = Object.entries(line.states).map(([state, count]) => [STATES[state], count.toLocaleString("en")]);
    const ends = [...line.lower, line.upper];
    return [
      make("h2", {}, this.board.describe(number)),
      facts([...states, ...this.figures(number)]),
      ...Object.entries(line.not_planned).flatMap(([state, names]) => [
        make("h3", {}, STATES[state]),
        make("ul", { class: "members" }, names.map((name) => make("li", {}, link(name, "device", name)))),
      ]),
      make("p", { class: "faint" }, line.cables > 1 ? "A figure is that of the highest of its cables." : ""),
      make("h3", {}, "Ends"),
      make("ul", { class: "plain" }, ends.map((end) => make("li", {}, this.boxButton(end)))),
      make("p", { class: "faint" }, "The page of a device lists its ports and leads to each cable."),
    ];
  }
}

