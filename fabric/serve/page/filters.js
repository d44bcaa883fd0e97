// Filters of the map: which part of the fabric is drawn.

import { make } from "./dom.js";

const FEW = 40;

// `change` is called with all filters when one changes; "" limits nothing.
export function filterForm(choices, filters, change) {
  const form = make("form", { class: "filters", "aria-label": "Filters", onsubmit: (event) => event.preventDefault() });
  const set = (name, value) => change({ ...filters, [name]: value });
  const add = (name, label, values) => {
    if (values.length < 2 && !filters[name]) return;
    const own = values.length > FEW ? typed(name, values, filters[name], set) : listed(name, values, filters[name], set);
    form.append(make("label", {}, make("span", {}, label), own));
  };
  const numbers = (count) => Array.from({ length: count }, (_, number) => String(number));
  add("unit", "Unit", choices.units);
  add("pod", "Pod", choices.pods);
  add("rail", "Rail", numbers(choices.rails));
  add("plane", "Plane", numbers(choices.planes));
  if (choices.jobs.length || filters.job) add("job", "Job", choices.jobs.length > 1 ? choices.jobs : [...choices.jobs, ""]);
  if (Object.keys(filters).length) form.append(make("button", { type: "button", onclick: () => change({}) }, "Show all"));
  return form;
}

function listed(name, values, now, set) {
  const options = [...values.filter((value) => value !== "")];
  if (now && !options.includes(now)) options.unshift(now); // a range, such as su[1-4]
  return make("select", { name, onchange: (event) => set(name, event.target.value) },
    make("option", { value: "" }, "all"),
    options.map((value) => make("option", { value, selected: value === now }, value)));
}

function typed(name, values, now, set) {
  const list = make("datalist", { id: `list-${name}` }, values.map((value) => make("option", { value })));
  const input = make("input", {
    name, value: now ?? "", list: list.id, placeholder: "all", autocomplete: "off",
    onchange: (event) => set(name, event.target.value.trim()),
  });
  return make("span", {}, input, list);
}
