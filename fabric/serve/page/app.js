// Which view is shown: the address after # decides.

import { dropToken, get, hasToken } from "./api.js";
import { make, path, problem, say } from "./dom.js";

const VIEWS = {
  map: ["Map", () => import("./map.js")],
  placement: ["Placement", () => import("./placement.js")],
  "what-if": ["What if", () => import("./whatif.js")],
  changes: ["Changes", () => import("./changes.js")],
  plan: ["Plan", () => import("./plan.js")],
  run: ["Run", () => import("./run.js")],
  device: ["Device", () => import("./device.js")],
  cable: ["Cable", () => import("./cable.js")],
};

const main = document.getElementById("main");
const search = document.getElementById("query");
let stop = () => {};
let turn = 0;
let fabric = "rocefab";

function address() {
  const [place, words = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, ...parts] = place.split("/").map(decodeURIComponent);
  return { view: Object.hasOwn(VIEWS, view) ? view : "map", parts, filters: Object.fromEntries(new URLSearchParams(words)) };
}

async function show({ focus = true } = {}) {
  stop();
  stop = () => {};
  const mine = (turn += 1);
  const { view, parts, filters } = address();
  const [title, load] = VIEWS[view];
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
    main.replaceChildren(make("h1", {}, title), problem(error));
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
