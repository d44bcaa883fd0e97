// The form of a job: its fields, the address that holds them, and what is wrong, at each field.

import { path, make } from "./dom.js";
import { title } from "./drawing.js";
import { asked, told } from "./words.js";

const TRAFFIC = ["ring", "tree", "all-to-all", "pipeline", "ring:3,all-to-all:1"];
const WITHIN = [["", "anywhere"], ["block", "one NVLink domain"], ["unit", "one unit"], ["pod", "one pod"]];

export class JobForm {
  // `ask` is called when the form is sent, and `changed` after each change of a field.
  constructor(about, picture, ask, changed) {
    const options = (values) => values.map(([value, text]) => make("option", { value }, text));
    const count = (most, value) => make("input", { type: "number", min: 1, max: most, value, required: true });
    this.element = make("form", {
      class: "tools ask", "aria-label": "Job", novalidate: true, oninput: changed, onchange: changed, onsubmit: (event) => {
        event.preventDefault();
        ask();
      },
    });
    this.inputs = {};
    this.wrong = {};
    this.#add("nodes", count(about.hosts, Math.min(2, about.hosts)));
    this.#add("gpus_per_node", count(about.gpus_per_host, about.gpus_per_host));
    this.#add("traffic", make("input", { list: "traffic", value: "ring", required: true, spellcheck: "false" }));
    this.element.append(make("datalist", { id: "traffic" }, options(TRAFFIC.map((value) => [value]))));
    this.#add("within", make("select", {}, options(about.units.some(({ pod }) => pod) ? WITHIN : WITHIN.filter(([level]) => level !== "pod"))));
    this.#add("exclude", make("input", { spellcheck: "false", autocomplete: "off", placeholder: anyHosts(picture) }));
    if (picture.tenants.length) this.#add("tenant", make("select", {}, options([...picture.tenants.map((name) => [name, name]), ["", "no tenant"]])));
    this.element.append(make("button", { class: "main" }, "Choose hosts"));
  }

  #add(name, input) {
    const wrong = make("p", { class: "field-problem", id: `wrong-${name}` });
    input.name = name;
    input.setAttribute("aria-describedby", wrong.id);
    this.inputs[name] = input;
    this.wrong[name] = wrong;
    this.element.append(make("div", { class: "field" }, make("label", {}, make("span", {}, asked(name)), input), wrong));
  }

  // Takes the job of an address. A value that a list does not have is shown, and `check` refuses it, as no tenant.
  fill(words) {
    for (const [name, input] of Object.entries(this.inputs)) {
      if (name === "tenant" && words.tenant === undefined) {
        input.selectedIndex = -1;
        continue;
      }
      const value = words[name] ?? input.defaultValue ?? "";
      if (input.options && ![...input.options].some((option) => option.value === value)) input.prepend(make("option", { value, "data-unknown": true }, value));
      input.value = value;
    }
  }

  // The address of the job; what is empty is left out, but for a job of no tenant.
  get address() {
    const words = Object.entries(this.inputs).map(([name, { value }]) => [name, value.trim()]);
    const isChosen = this.inputs.tenant?.selectedIndex !== -1;
    return `${path("placement")}?${new URLSearchParams(words.filter(([name, value]) => value || (name === "tenant" && isChosen)))}`;
  }

  get body() {
    const words = Object.entries(this.inputs).map(([name, { type, value }]) => [name, type === "number" ? Number(value) : value.trim()]);
    return Object.fromEntries(words.filter(([, value]) => value));
  }

  // Whether the fields can be sent; each that cannot says why.
  check() {
    this.clear();
    for (const [name, input] of Object.entries(this.inputs)) {
      const why = reason(input);
      if (why) this.#tell(name, why);
    }
    return this.#focus();
  }

  // Puts what the service refuses at its fields; returns what no field has.
  refuse(findings) {
    const here = findings.filter(({ field }) => Object.hasOwn(this.inputs, field));
    for (const found of here) this.#tell(found.field, told(found));
    this.#focus();
    return findings.filter((found) => !here.includes(found));
  }

  clear() {
    for (const name of Object.keys(this.inputs)) {
      this.wrong[name].textContent = "";
      this.inputs[name].removeAttribute("aria-invalid");
    }
  }

  #tell(name, text) {
    const { [name]: place } = this.wrong;
    place.textContent = place.textContent ? `${place.textContent}. ${text}` : text;
    this.inputs[name].setAttribute("aria-invalid", "true");
  }

  #focus() {
    const first = Object.values(this.inputs).find((input) => input.hasAttribute("aria-invalid"));
    first?.focus();
    return first === undefined;
  }
}

// Why a field cannot be sent; "" where it can.
function reason({ type, min, max, value, validity, selectedOptions }) {
  if (selectedOptions?.[0]?.dataset.unknown !== undefined) return `there is no '${value}' here; choose from the list`;
  if (selectedOptions?.length === 0) return "choose a tenant, or 'no tenant'";
  if (validity.valid) return "";
  return type === "number" ? `enter a number from ${min} to ${max}` : "enter a value";
}

// Hosts of this fabric, as an example of what the field takes.
function anyHosts({ boxes }) {
  const hosts = boxes.find(({ kind }) => kind === "host");
  return hosts ? title(hosts) : "";
}
