// Which view is shown: the address after # decides.

import { dropToken, get, hasToken } from "./api.js";
import { make, path, problem, say } from "./dom.js";

// Title and module of each view, and how many names follow it in an address.
const VIEWS = {
  map: ["Map", () => import("./map.js"), 0],
  placement: ["Placement", () => import("./placement.js"), 0],
  "what-if": ["What if", () => import("./whatif.js"), 0],
  changes: ["Changes", () => import("./changes.js"), 0],
  plan: ["Plan", () => import("./plan.js"), 1],
  run: ["Run", () => import("./run.js"), 1],
  device: ["Device", () => import("./device.js"), 1],
  cable: ["Cable", () => import("./cable.js"), 2],
};
const UNKNOWN = ["No such view", () => Promise.reject(new Error(`The address ${location.hash} names no view of this page.`))];

const main = document.getElementById("main");
const search = document.getElementById("query");
let stop = () => {};
let turn = 0;
let fabric = "rocefab";

function address() {
  const [place, words = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view = "map", ...parts] = place.split("/").filter(Boolean).map(decoded);
  const known = Object.hasOwn(VIEWS, view) && VIEWS[view][2] === parts.length;
  return { view, about: known ? VIEWS[view] : UNKNOWN, parts, filters: Object.fromEntries(new URLSearchParams(words)) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // of an address that was typed
  }
}

// Where to go from an address that shows nothing.
function ways() {
  const links = [...document.querySelectorAll("#pages a")].map(({ hash, textContent }) => [" ", make("a", { href: hash }, textContent)]);
  return make("p", {}, "Open", links, ", or search for a device above.");
}

async function show({ focus = true } = {}) {
  stop();
  stop = () => {};
  const mine = (turn += 1);
  const { view, about: [title, load], parts, filters } = address();
  const page = ["plan", "run"].includes(view) ? "changes" : view;
  for (const link of document.querySelectorAll("#pages a")) {
    if (link.hash === `#/${page}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${[title, ...parts].join(" ")} · ${fabric}`;
  const root = make("div", { class: `view ${view}` });
  try {
    const { open } = await load();
    if (mine !== turn) return;
    main.replaceChildren(root);
    stop = (await open(root, parts, filters)) ?? (() => {});
    if (mine !== turn) stop();
  } catch (error) {
    if (mine !== turn || error.status === 401) return;
    main.replaceChildren(make("h1", {}, title), problem(error), ways());
  }
  if (mine === turn && focus) {
    main.focus({ preventScroll: true });
    say(document.title);
  }
}

async function start() {
  document.getElementById("logout").hidden = !hasToken();
  try {
    const about = await get("/v1/fabric");
    fabric = about.name;
    document.getElementById("fabric").textContent = fabric;
  } catch (error) {
    if (error.status === 401) return;
  }
  await show({ focus: false });
}

document.addEventListener("login", async (event) => {
  stop();
  turn += 1;
  dropToken();
  const { open } = await import("./login.js");
  open(main, event.detail, start);
});
document.getElementById("logout").addEventListener("click", () => {
  dropToken();
  location.reload();
});
document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const wanted = search.value.trim();
  if (wanted === "") return;
  location.hash = path("device", wanted);
  search.value = "";
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, select, textarea") !== null;
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search.focus();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
window.addEventListener("hashchange", () => show());
start();
