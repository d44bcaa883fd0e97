// A drawing with its tools: zoom, legend, and a panel for what was chosen.

import { get, query } from "./api.js";
import { Drawing, title } from "./drawing.js";
import { counted, make } from "./dom.js";

const NARROW = "(max-width: 640px)"; // as style.css has it: the legend folds

export class Board {
  // Where `live` is false, the picture is that of the plan.
  constructor(pick, live = true) {
    this.live = live;
    this.place = make("div", { class: "canvas", tabindex: "0", role: "region", "aria-label": "Map, scrolls" });
    this.legend = make("div", { class: "legend" });
    const button = (label, sign, run) => make("button", { type: "button", "aria-label": label, title: label, onclick: run }, sign);
    this.tools = make("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
      button("Zoom in (+)", "+", () => this.drawing?.zoom(1.3)),
      button("Zoom out (-)", "−", () => this.drawing?.zoom(1 / 1.3)),
      button("Fit (0)", "Fit", () => this.drawing?.fit()));
    const narrow = matchMedia(NARROW);
    const fold = make("details", { class: "fold", open: !narrow.matches }, make("summary", {}, "Legend"), this.legend);
    narrow.onchange = () => {
      fold.open = !narrow.matches;
    };
    this.element = make("section", { class: "board", "aria-label": "Map" }, this.place,
      make("div", { class: "foot" }, fold, this.tools));
    this.pick = pick;
    this.drawing = null;
  }

  async load(filters) {
    this.show(await get(query("/v1/map", filters)));
  }

  show(picture) {
    this.picture = picture;
    this.drawing?.resized.disconnect();
    this.drawing = new Drawing(this.place, picture, this.pick, this.live);
    const devices = picture.boxes.flatMap((box) => box.members);
    document.getElementById("devices").replaceChildren(...devices.slice(0, 2000).map((value) => make("option", { value })));
  }

  describe(line) {
    const { lower, upper, cables, speeds_gbps: speeds, lengths } = this.picture.lines[line];
    const low = lower.map((number) => title(this.picture.boxes[number]));
    const ends = low.length > 1 ? `${low[0]} … ${low.at(-1)}` : low[0];
    return `${ends} – ${title(this.picture.boxes[upper])}: ${counted(cables, "cable")} of ${speeds.join("/")}G, ${lengths}`;
  }

  // Each entry is a kind, or several that share a text, and its text.
  legendOf(entries) {
    const swatch = (kind) => make("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
    const bars = this.picture.combs.length ? [["teeth", "lines at a bar connect each leaf under its teeth"]] : [];
    this.legend.replaceChildren(...[...entries, ...bars].map(([kind, text]) => make("span", { class: "key" },
      Array.isArray(kind) ? make("span", { class: "several" }, kind.map(swatch)) : swatch(kind), text)));
  }
}
