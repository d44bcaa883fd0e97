// Small time lines of counters.

import { draw, make, short } from "./dom.js";
import { plain } from "./words.js";

const WIDTH = 220;
const HEIGHT = 40;

export function words({ name, labels }) {
  const counter = plain(name.replace(/^rocefab_(port_)?/, "").replace(/_total$/, ""));
  const { port, ...more } = labels;
  const rest = Object.entries(more).map(([key, value]) => (key === "direction" ? value : `${plain(key)} ${value}`));
  return { port: port ?? "", what: [counter, ...rest].join(", ") };
}

// A rate that is not known is a gap.
export function sparkline(series) {
  const { times_s: times, per_s: rates } = series;
  const known = rates.filter((rate) => rate !== null);
  const most = Math.max(...known, 0);
  const [first, last] = [times[0], times.at(-1)];
  const x = (at) => (last > first ? ((at - first) / (last - first)) * WIDTH : WIDTH);
  const y = (rate) => HEIGHT - 2 - (most > 0 ? (rate / most) * (HEIGHT - 6) : 0);
  let path = "";
  rates.forEach((rate, row) => {
    if (rate === null) return;
    const isNew = row === 0 || rates[row - 1] === null;
    path += `${isNew ? "M" : "L"}${x(times[row]).toFixed(1)} ${y(rate).toFixed(1)}`;
    if (isNew && (row === rates.length - 1 || rates[row + 1] === null)) path += "h1";
  });
  const now = rates.at(-1);
  const told = `${words(series).what}: now ${now === null ? "unknown" : `${short(now)} per second`}, at most ${known.length ? short(most) : "unknown"}`;
  return draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "spark", role: "img", "aria-label": told, preserveAspectRatio: "none" },
    draw("title", {}, told), draw("path", { d: `M0 ${HEIGHT - 1}H${WIDTH}`, class: "axis" }), draw("path", { d: path, class: "trace" }));
}

const known = (one) => one.per_s.filter((rate) => rate !== null);
const peak = (one) => Math.max(...known(one), 0);

export function tile(series) {
  const { port, what } = words(series);
  const now = series.per_s.at(-1);
  return make("figure", { class: "tile" },
    make("figcaption", {}, make("b", {}, port), " ", what),
    sparkline(series),
    make("span", { class: "now" }, now === null ? "unknown" : `${short(now)} /s`, make("small", {}, `max ${known(series).length ? short(peak(series)) : "unknown"}`)));
}

// The counters that rise most come first, those of one kind together.
export function tiles(all, most) {
  const isLoss = (one) => (/pause|drop|discard|error|storm|retrans|sequence|nak/.test(one.name) ? 1 : 0);
  const sorted = [...all].sort((a, b) => isLoss(b) - isLoss(a) || a.name.localeCompare(b.name) || peak(b) - peak(a));
  return { shown: sorted.slice(0, most).map(tile), rest: sorted.length - most };
}
