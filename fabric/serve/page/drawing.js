// The picture: boxes, lines and frames with the places that the service computed.

import { draw } from "./dom.js";
import { hue, owner } from "./legend.js";
import { differing, extent, fitted, note, part, share } from "./trouble.js";

const LEAST_WIDTH_PX = 860;
const STEP = 1.3;
const MOST = 6;
const LABEL = 24;
const MARKS = {
  quarantine: "M-2.5-5V5M2.5-5V5",
  degraded: "M-5-3 0 3 5-3",
  down: "M-4-4 4 4M4-4-4 4",
  fails: "M-4-4 4 4M4-4-4 4",
  wrong: "M-4-4h8v8h-8z",
  lossless: "M0-5 5 0 0 5-5 0z",
  oversubscribed: "M0-5 5 4h-10z",
};
const MARK_AT = 0.22;
const SHARE_AT = [0.82, 0.7, 0.58, 0.46]; // places of a text on its line, the first that is free
const SHARE_PX = { width: 80, height: 28 }; // room that a mark with "1 of 16 down" takes
const SHORT_PX = 40; // width of "1/16"
const MOST_SHARES = 24; // texts on lines; the others have theirs when they are pointed at
const PAD_PX = 3; // between a text and the border of its box
const STACK_PX = 3; // of the second edge of a box of several devices, as fabric/topology/drawing_layout.py has it
const LETTER_PX = 6.65; // of the font at 11 px, as fabric/topology/drawing_layout.py has it

const along = ({ x1, y1, x2, y2 }, part) => [x1 + (x2 - x1) * part, y1 + (y2 - y1) * part];

// The whole name of a device that is alone: its box may have no room for it.
export const title = (box) => (box.members.length === 1 ? box.members[0] : box.label);

export class Drawing {
  // `pick` is called with ("box" | "line", number) when one is clicked, or Enter is pressed on it.
  // Where `live` is false, everything is drawn as planned.
  constructor(place, picture, pick, live) {
    this.place = place;
    this.picture = picture;
    this.pick = pick;
    this.live = live;
    this.svg = this.#draw();
    place.replaceChildren(this.svg);
    this.#measure();
    this.place.scrollTo(this.#start(), 0);
    this.#listen();
    const width = () => this.place.offsetWidth;
    let before = width();
    this.resized = new ResizeObserver(() => {
      if (width() !== before) {
        const { scrollLeft } = this.place; // a scroll bar of the page comes with what is below the map
        if (this.scale === 1) this.#measure();
        else if (this.scale < 1) this.fit();
        if (this.scale === 1) this.place.scrollTo(scrollLeft, this.place.scrollTop);
      }
      before = width();
    });
    this.resized.observe(place);
  }

  // Where the boxes begin, in a place that is too narrow for them to be seen at first.
  #start() {
    const left = (Math.min(...this.picture.boxes.map(({ x }) => x)) - 24) * this.base * this.scale / this.picture.width;
    return left > this.place.clientWidth / 2 ? left : 0;
  }

  // The whole width, also where letters get small: a narrow place scrolls until then.
  fit() {
    this.#measure();
    this.scale = this.#least();
    this.#size();
    this.place.scrollTo(0, 0);
  }

  #least() {
    return Math.min(1, this.place.clientWidth / this.base);
  }

  zoom(factor, x = this.place.clientWidth / 2, y = this.place.clientHeight / 2) {
    const before = this.scale;
    this.scale = Math.min(MOST, Math.max(this.#least(), this.scale * factor));
    const real = this.scale / before;
    const left = (this.place.scrollLeft + x) * real - x;
    const top = (this.place.scrollTop + y) * real - y;
    this.#size();
    this.place.scrollTo(left, top);
  }

  // Puts a class on lines and boxes; `of` returns it for a number, or an empty text.
  mark(kind, of) {
    const items = kind === "line" ? this.lines : this.boxes;
    items.forEach((item, number) => item.setAttribute("class", `${kind} ${this.#own(kind, number)} ${of(number)}`.trim()));
  }

  // Another second line of text on a box: the first that fits. Where none does, its own.
  note(number, ...texts) {
    const detail = this.boxes[number].querySelector(".detail");
    detail.textContent = texts.find((text) => text.length <= this.#letters(number)) ?? this.#detail(number);
  }

  #letters(number) {
    return (this.picture.boxes[number].width - 2 * PAD_PX) / LETTER_PX;
  }

  // Marks lines that are a part in a state, each with its text, such as "1 of 16 down"; an empty text marks nothing.
  share(parts) {
    const isFew = parts.filter(([, text]) => text).length <= MOST_SHARES;
    const long = this.#places(parts, SHARE_PX.width);
    const isLong = parts.every(([, text], number) => !text || long[number]);
    const places = isLong ? long : this.#places(parts, SHORT_PX);
    parts.forEach(([state, text], number) => {
      this.lines[number].querySelectorAll(".part").forEach((item) => item.remove());
      if (!text) return;
      this.lines[number].parentNode?.append(this.lines[number]); // in front of the others
      const [x, y] = places[number] ?? along(this.picture.lines[number], SHARE_AT[0]);
      const told = isLong ? text : text.replace(/^(\S+) of (\S+) .*$/u, "$1/$2");
      this.lines[number].append(...[
        draw("path", { d: MARKS[state], class: `part mark ${state}`, transform: `translate(${[x, y]})` }),
        isFew && places[number] && draw("text", { x, y: y + 16, class: "part share" }, told),
      ].filter(Boolean));
    });
  }

  // Places on the lines where their texts keep apart; nothing for a text without room.
  #places(parts, width) {
    const taken = [];
    const isFree = ([x, y]) => taken.every(([other, at]) => Math.abs(other - x) >= width || Math.abs(at - y) >= SHARE_PX.height);
    return parts.map(([, text], number) => {
      const place = text ? SHARE_AT.map((part) => along(this.picture.lines[number], part)).find(isFree) : null;
      if (place) taken.push(place);
      return place;
    });
  }

  title(kind, number, text) {
    const item = (kind === "line" ? this.lines : this.boxes)[number];
    item.querySelector("title").textContent = text;
    if (item.hasAttribute("tabindex")) item.setAttribute("aria-label", text);
  }

  select(kind, number) {
    this.svg.querySelectorAll(".chosen, .mine").forEach((item) => item.classList.remove("chosen", "mine"));
    this.svg.classList.toggle("choosing", kind !== null);
    if (kind === null) return;
    (kind === "line" ? this.lines : this.boxes)[number].classList.add("chosen");
    this.picture.lines.forEach((line, at) => {
      const mine = kind === "line" ? at === number : line.upper === number || line.lower.includes(number);
      this.lines[at].classList.toggle("mine", mine);
      if (mine) this.combs[this.#combOf(line)]?.classList.add("mine");
    });
  }

  // The comb that a line of several boxes starts at.
  #combOf({ lower }) {
    return this.picture.combs.findIndex((comb) => String(comb.lower) === String(lower));
  }

  focus(number) {
    this.boxes[number].focus({ preventScroll: false });
  }

  boxOf(device) {
    return this.picture.boxes.findIndex((box) => box.members.includes(device));
  }

  // A leaf keeps its rail: its border and the marks on its lines tell what is down, and the hosts how many.
  #detail(number) {
    const { detail, rail } = this.picture.boxes[number];
    const text = this.live && rail < 0 && note(this.picture, number);
    return (text && fitted(text, this.#letters(number))) || detail;
  }

  #state(line) {
    return this.live ? line.state : line.off ?? "planned";
  }

  // What only some cables of a line have; of the plan, quarantine alone.
  #part(line) {
    const state = part(this.live ? line : { ...line, state: "planned" });
    return line.off ? null : state;
  }

  #own(kind, number) {
    if (kind === "line") {
      const line = this.picture.lines[number];
      const some = this.#part(line) === "quarantine" ? "apart" : "some";
      const state = this.#part(line) ? some : this.#state(line);
      return `${state} ${line.rail < 0 ? "" : hue("rail", line.rail)}`.trimEnd();
    }
    const box = this.picture.boxes[number];
    const role = `${box.kind}${box.members.length > 1 ? " many" : ""} ${owner(this.picture, box)}`;
    return this.live ? `${role}${this.#sick(number)}` : role.trimEnd();
  }

  #sick(number) {
    const { health } = this.picture.boxes[number];
    const how = extent(this.picture, number);
    return how && ` sick ${how} ${how === "all" ? health : ""}`.trimEnd();
  }

  #size() {
    this.svg.style.width = `${this.base * this.scale}px`;
  }

  // The width without scroll bars, and again with the vertical one where the picture is high.
  #measure() {
    this.scale = 1;
    this.base = 0;
    for (let turn = 0; turn < 2; turn += 1) {
      if (turn === 0) this.svg.style.width = "1px";
      this.base = Math.max(this.place.clientWidth, LEAST_WIDTH_PX);
      this.#size();
    }
  }

  #draw() {
    const { picture } = this;
    this.lines = picture.lines.map((line, number) => this.#line(line, number));
    if (this.live) this.share(picture.lines.map((line) => [this.#part(line), share(line)]));
    this.boxes = picture.boxes.map((box, number) => this.#box(box, number));
    this.combs = picture.combs.map((comb) => this.#comb(comb));
    const order = picture.lines.map((_, number) => number).sort((a, b) => this.#rank(a) - this.#rank(b));
    const top = Math.min(...picture.frames.map((one) => one.y), ...picture.boxes.map((one) => one.y)) - 12;
    const bottom = Math.max(...picture.frames.map((one) => one.y + one.height), ...picture.boxes.map((one) => one.y + one.height)) + 12;
    return draw("svg", {
      viewBox: `0 ${top} ${picture.width} ${bottom - top}`, role: "group", "aria-label": `Map of ${picture.title}`, class: "drawing",
    },
    draw("g", { class: "frames" }, picture.frames.map((frame) => this.#frame(frame))),
    draw("g", { class: "combs" }, this.combs),
    draw("g", { class: "lines" }, order.map((number) => this.lines[number])),
    draw("g", { class: "labels" }, picture.frames.map((frame) => this.#label(frame))),
    draw("g", { class: "boxes" }, this.boxes),
    draw("g", { class: "captions" }, picture.captions.map((caption) => caption.lines.map((text, row) =>
      draw("text", { x: 16, y: caption.y + 4 + 14 * row - 7 * (caption.lines.length - 1), class: row ? "" : "first" }, text)))));
  }

  #rank(number) {
    return Object.keys(MARKS).includes(this.#state(this.picture.lines[number])) ? 1 : 0;
  }

  #line(line, number) {
    const width = 1 + Math.min(3, Math.log2(line.cables) * 0.3);
    const state = this.#part(line) ?? this.#state(line);
    const isShared = this.live && this.#part(line); // `share` marks it
    const ends = { x1: line.x1, y1: line.y1, x2: line.x2, y2: line.y2 };
    return draw("g", { class: `line ${this.#own("line", number)}`, "data-line": number },
      draw("title"),
      draw("line", { ...ends, class: "reach" }),
      draw("line", { ...ends, class: "ink", "stroke-width": width.toFixed(2) }),
      !isShared && MARKS[state] && draw("path", { d: MARKS[state], class: `mark ${state}`, transform: `translate(${along(line, MARK_AT)})` }));
  }

  #box(box, number) {
    const middle = box.x + box.width / 2;
    const { x, y, width, height } = box;
    return draw("g", {
      class: `box ${this.#own("box", number)}`, "data-box": number, tabindex: 0, role: "button", "aria-label": `${title(box)}, ${box.detail}`,
    },
    draw("title"),
    box.members.length > 1 && draw("rect", { x: x + STACK_PX, y: y - STACK_PX, width, height, rx: 5, class: "behind" }),
    draw("rect", { x, y, width, height, rx: 5, class: "face" }),
    box.rail >= 0 && draw("rect", { x: x + 4, y: y + 1, width: width - 8, height: 3, rx: 1.5, class: `stripe ${hue("rail", box.rail)}` }),
    draw("text", { x: middle, y: y + 17, class: "label" }, box.label.length > LABEL ? `${box.label.slice(0, LABEL)}…` : box.label),
    draw("text", { x: middle, y: y + 31, class: "detail" }, this.#detail(number)),
    this.live && differing(box) && draw("g", { class: "differs", transform: `translate(${x + width - 2} ${y + 2})` },
      draw("circle", { r: 7 }), draw("text", { y: 4 }, "≠")));
  }

  #comb({ y, bottom, teeth }) {
    const down = teeth.map((x) => `M${x} ${y}V${bottom}`).join("");
    return draw("g", { class: "comb" },
      draw("path", { d: down, class: "gap" }), draw("path", { d: down }), draw("path", { d: `M${teeth[0] - 0.8} ${y}H${teeth.at(-1) + 0.8}`, class: "bar" }));
  }

  #frame({ x, y, width, height, kind }) {
    return draw("rect", { x, y, width, height, rx: 8, class: `frame ${kind}` });
  }

  #label({ x, y, width, height, kind, label }) {
    const base = kind === "unit" ? y + height - 7 : y + 15;
    return draw("text", { x: x + width / 2, y: base, class: `frame-label ${kind}` }, label);
  }

  #listen() {
    let from = null;
    let moved = false;
    this.svg.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse") return;
      from = { x: event.clientX, y: event.clientY };
      moved = false;
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (from === null || !event.buttons) return;
      const step = { x: event.clientX - from.x, y: event.clientY - from.y };
      if (!moved && Math.hypot(step.x, step.y) < 4) return;
      moved = true;
      this.place.scrollBy(-step.x, -step.y);
      from = { x: event.clientX, y: event.clientY };
    });
    this.svg.addEventListener("click", (event) => {
      from = null;
      if (moved) {
        moved = false;
        return;
      }
      const item = event.target.closest(".box, .line");
      this.#picked(item);
    });
    this.svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // without a key, the page scrolls
      event.preventDefault();
      const { left, top } = this.place.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY * 0.002), event.clientX - left, event.clientY - top);
    }, { passive: false });
    this.svg.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.#picked(event.target.closest(".box"));
    });
    this.place.onkeydown = (event) => {
      const keys = { "+": () => this.zoom(STEP), "=": () => this.zoom(STEP), "-": () => this.zoom(1 / STEP), 0: () => this.fit() };
      if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
      event.preventDefault();
      keys[event.key]();
    };
  }

  #picked(item) {
    if (item === null) this.pick(null, -1);
    else if (item.dataset.box !== undefined) this.pick("box", Number(item.dataset.box));
    else this.pick("line", Number(item.dataset.line));
  }
}
