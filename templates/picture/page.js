"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const svg = document.querySelector("#canvas > svg");
  const panel = document.getElementById("panel");
  const told = document.getElementById("told");
  const search = document.getElementById("search");
  const hits = document.getElementById("hits");
  const whole = svg.viewBox.baseVal;
  const full = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
  let view = { ...full };
  const boxes = [...svg.querySelectorAll("g.box")];
  const lines = [...svg.querySelectorAll("g.line")];
  const combs = [...svg.querySelectorAll("g.comb")];
  const LEAST = 1 / 60;
  const MOST = 2;
  const HITS = 30;
  const READABLE = 0.8; // of the size in which it is drawn

  const show = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  const scale = () => {
    const place = svg.getBoundingClientRect();
    return Math.max(view.width / place.width, view.height / place.height);
  };
  const zoom = (factor, x = view.x + view.width / 2, y = view.y + view.height / 2) => {
    const width = Math.min(Math.max(view.width * factor, full.width * LEAST), full.width * MOST);
    const real = width / view.width;
    view = {
      x: x - (x - view.x) * real,
      y: y - (y - view.y) * real,
      width,
      height: view.height * real,
    };
    show();
  };
  const move = (x, y) => {
    view.x += x;
    view.y += y;
    show();
  };
  const fit = () => {
    view = { ...full };
    show();
  };
  // On a small screen the whole picture has letters that nobody can read: begin with a part of it.
  const begin = () => {
    if (!matchMedia("(max-width: 640px)").matches || scale() <= 1 / READABLE) return;
    const place = svg.getBoundingClientRect();
    const [width, height] = [place.width / READABLE, place.height / READABLE];
    view = { x: full.x, y: full.y + Math.min(0, (full.height - height) / 2), width, height };
    show();
  };
  const point = (event) =>
    new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());

  const element = (tag, text) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const table = (heads, rows) => {
    const made = element("table");
    if (heads.length) {
      const row = made.createTHead().insertRow();
      for (const head of heads) row.append(element("th", head));
    }
    const body = made.createTBody();
    for (const cells of rows) {
      const row = body.insertRow();
      for (const cell of cells) row.append(element("td", cell));
    }
    return made;
  };

  const mark = (number) => {
    for (const box of boxes) box.classList.toggle("found", box.dataset.box === String(number));
    svg.classList.add("dim");
    for (const comb of combs) comb.classList.remove("mine");
    for (const line of lines) {
      const ends = [...line.dataset.lower.split(" "), line.dataset.upper];
      const mine = ends.includes(String(number));
      line.classList.toggle("mine", mine);
      if (mine) combs.find((comb) => comb.dataset.lower === line.dataset.lower)?.classList.add("mine");
    }
  };
  // The page has no room for what both ends of each cable are told; the command has it.
  const compared = (name, { facts, ports }) => {
    const isHost = ([[, role]]) => role === "host";
    const [port, peer, peerPort] = ports.find((row) => isHost(facts) || isHost(data.devices[row[1]].facts)) ?? [];
    if (!port) return;
    const [host, nic] = isHost(facts) ? [name, port] : [peer, peerPort];
    const line = element("p", "Both ends of a NIC's cable, with verdicts: ");
    line.append(element("code", `rocefab show cable INVENTORY ${host} ${nic}`));
    told.append(line);
  };
  const device = (name) => {
    const one = data.devices[name];
    told.replaceChildren(element("h2", name), table([], one.facts));
    told.append(element("h3", `Ports and peers (${one.ports.length})`));
    compared(name, one);
    if (one.ports.length) {
      told.append(table(["port", "peer", "peer port", "speed", "cable", "state"], one.ports));
    } else {
      told.append(element("p", data.portless || "no cables"));
    }
    told.append(element("h3", "Lossless policy"), table([], data.policies[one.policy]));
    open(one.box);
  };
  const group = (number) => {
    const box = data.boxes[number];
    told.replaceChildren(element("h2", box.label), element("p", box.detail));
    const list = element("ul");
    for (const name of box.members) {
      const button = element("button", name);
      button.type = "button";
      button.addEventListener("click", () => device(name));
      const item = element("li");
      item.append(button);
      list.append(item);
    }
    told.append(list);
    open(number);
  };
  const open = (number) => {
    panel.hidden = false;
    panel.scrollTop = 0;
    mark(number);
  };
  const close = () => {
    panel.hidden = true;
    svg.classList.remove("dim");
    for (const box of boxes) box.classList.remove("found");
  };
  const pick = (number) => {
    const { members } = data.boxes[number];
    if (members.length === 1) device(members[0]);
    else group(number);
  };
  const goTo = (name) => {
    const number = data.devices[name].box;
    const box = boxes[number].getBBox();
    view.width = Math.min(full.width, 900);
    view.height = (view.width * full.height) / full.width;
    view.x = box.x + box.width / 2 - view.width / 2;
    view.y = box.y + box.height / 2 - view.height / 2;
    show();
    hits.replaceChildren();
    device(name);
  };

  const names = Object.keys(data.devices);
  const find = () => {
    const text = search.value.trim().toLowerCase();
    const found = text ? names.filter((name) => name.toLowerCase().includes(text)) : [];
    found.sort((a, b) => a.length - b.length);
    hits.replaceChildren(
      ...found.slice(0, HITS).map((name) => {
        const button = element("button", name);
        button.type = "button";
        button.addEventListener("click", () => goTo(name));
        const item = element("li");
        item.append(button);
        return item;
      }),
    );
    if (text && !found.length) hits.append(element("li", "no device has this in its name"));
    return found;
  };

  for (const box of boxes) {
    const number = Number(box.dataset.box);
    box.setAttribute("tabindex", "0");
    box.setAttribute("role", "button");
    box.setAttribute("aria-label", `${data.boxes[number].label}, ${data.boxes[number].detail}`);
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        pick(number);
      }
    });
  }
  svg.setAttribute("role", "group");

  let from = null;
  let moved = false;
  svg.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX, y: event.clientY };
    moved = false;
  });
  svg.addEventListener("pointermove", (event) => {
    if (!from) return;
    const step = { x: event.clientX - from.x, y: event.clientY - from.y };
    if (!moved && Math.hypot(step.x, step.y) < 4) return;
    moved = true;
    svg.classList.add("moving");
    move(-step.x * scale(), -step.y * scale());
    from = { x: event.clientX, y: event.clientY };
  });
  const drop = () => {
    from = null;
    svg.classList.remove("moving");
  };
  window.addEventListener("pointerup", drop);
  window.addEventListener("pointercancel", drop);
  svg.addEventListener("click", (event) => {
    if (moved) return;
    const box = event.target.closest("g.box");
    if (box) pick(Number(box.dataset.box));
    else close();
  });
  svg.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const { x, y } = point(event);
      zoom(Math.exp(event.deltaY * 0.0015), x, y);
    },
    { passive: false },
  );
  document.getElementById("in").addEventListener("click", () => zoom(1 / 1.3));
  document.getElementById("out").addEventListener("click", () => zoom(1.3));
  document.getElementById("fit").addEventListener("click", fit);
  document.getElementById("close").addEventListener("click", close);
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      const found = find();
      if (found.length) goTo(found[0]);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      hits.replaceChildren();
      close();
      search.blur();
      return;
    }
    if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = view.width / 12;
    const keys = {
      "+": () => zoom(1 / 1.3),
      "=": () => zoom(1 / 1.3),
      "-": () => zoom(1.3),
      0: fit,
      ArrowLeft: () => move(-step, 0),
      ArrowRight: () => move(step, 0),
      ArrowUp: () => move(0, -step),
      ArrowDown: () => move(0, step),
      "/": () => search.focus(),
    };
    if (Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  begin();
})();
