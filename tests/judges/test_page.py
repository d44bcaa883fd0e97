"""A real browser uses the page of `rocefab serve` as people do: Chromium, by mouse and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fabric.cli import main
from fabric.core.events import Event
from fabric.core.findings import Finding, Severity
from fabric.observe.state import LldpNeighbour
from fabric.report.events import line
from fabric.serve.tokens import Tokens
from fabric.topology.device_ends import ends_of
from fabric.workflow.project import Project
from tests.judges.conftest import missing_judge
from tests.judges.misplaced import MISPLACED
from tests.serve.records import Traffic, append, busy, records
from tests.serve.servers import DEMO, served
from tests.topology.fabrics import INVENTORY
from tests.waiting import until

VIEWS = (
    *("#/map", "#/map?by=load", "#/map?unit=su1&by=pause_per_s", "#/device/su1-rail0"),
    *("#/device/gpu001", "#/cable/su1-rail0/Ethernet0", "#/placement", "#/what-if"),
    *("#/device/nothing", "#/map?unit=nothing"),
)
MARKUP = "<img src=x onerror=window.hit=1>"
#: What a hostile neighbour says of itself: markup, marks of writing direction, and a long name.
NAMES = (
    MARKUP,
    "\u202egnp.\u2066evil\u200f",
    "x" * 10_000,
    "</script><script>window.hit=1</script>",
)
TOKEN = "0123456789abcdef0123456789abcdef"
#: Words of the page, up to what fits on a line of a phone, that stand on more than one line.
BROKEN_WORDS = r"""
const broken = [];
const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
  if (node.parentElement.closest("svg, .hidden, noscript, script, datalist, option")) continue;
  for (const { 0: word, index } of node.data.matchAll(/[\p{L}\p{N}]+/gu)) {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top);
    if (word.length <= 30 && Math.max(...tops) - Math.min(...tops) > 5) broken.push(word);
  }
}
return broken;
"""


#: Names of fields in what the page says itself; what devices and inventories have stays as it is.
RAW_NAMES = r"""
const own = "h1, h2, h3, th, dt, dd, label, figcaption, summary, .badge, .problem, .warning, .key";
const data = "code, pre, a, .seen";
return [...document.querySelectorAll(own)].filter((at) => !at.closest(data)).flatMap((at) =>
  [...at.innerText.matchAll(/\b[a-z]+_[a-z_]+\b/g)].map(([word]) => word));
"""


#: Colours of lines and of borders of hosts with a meaning, without those of the legend.
UNEXPLAINED = r"""
const swatches = [...document.querySelectorAll('.key .swatch:not(.several)')];
const known = new Set(swatches.map((at) => getComputedStyle(at).borderTopColor));
const drawn = [...document.querySelectorAll('.line .ink, .box:is(.owned, .lit, .sick) .face')];
return drawn.filter((at) => !known.has(getComputedStyle(at).stroke)).map((at) =>
  at.parentNode.getAttribute('class'));
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a client of a server of 512 GPUs with readings, drift, a job and a condition."""
    folder = tmp_path_factory.mktemp("page")
    fabric = Project(INVENTORY / "rail-512").fabric
    readings, drift = folder / "readings.jsonl", folder / "drift.json"
    ports = [end.port for end in ends_of(fabric, "su1-rail0")]
    marked = {
        ("su1-rail0", port): Traffic(
            load=0.9, pause_per_s=50, error_per_s=1, neighbours=(LldpNeighbour(name, name, name),)
        )
        for port, name in zip(ports, NAMES, strict=False)
    }
    devices = ["su1-rail0", "su1-rail1", "gpu001", "spine01"]
    append(readings, records(fabric, devices, 3, busy(marked)))
    change = {"path": MARKUP, "running": MARKUP, "planned": "y" * 10_000, "line": ""}
    off = {"subject": "eth1", "item": "pfc", "message": f"PFC is off {MARKUP}", "unknown": False}
    drift.write_text(
        json.dumps([
            {"device": "su1-rail0", "drift": [change]},
            {"device": "gpu002", "ok": False, "drift": [], "deviations": [off]},
        ])
    )
    with served(
        folder / "state", INVENTORY / "rail-512", readings=readings, drift=drift, watch_s=0.05
    ) as client:
        client.readings, client.fabric = readings, fabric
        client.post("/v1/jobs", json={"name": "train-7", "hosts": "gpu[001-012]"})
        reason = {"health": "degraded", "reason": MARKUP, "capacity": 1}
        client.patch("/v1/state", json={"conditions": {"su1-rail0": reason}})
        yield client


@pytest.fixture
def page(browser: Any, site: Any) -> Iterator[Any]:
    """Return the browser without what a test before it left; no test may leave an error."""
    size(browser, 1280)
    scheme(browser, "light")
    browser.get("about:blank")
    browser.get_log("browser")
    yield browser
    assert browser.execute_script("return window.hit ?? 0") == 0
    assert errors(browser) == []


def errors(browser: Any) -> list[str]:
    """Return errors of the console, but for answers that a test asks for: 404 and 409."""
    lines = [entry["message"] for entry in browser.get_log("browser")]
    asked = ("404 (Not Found)", "409 (Conflict)")
    return [line for line in lines if not any(one in line for one in asked)]


def size(browser: Any, width: int, height: int = 900) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def scheme(browser: Any, name: str) -> None:
    media = {"features": [{"name": "prefers-color-scheme", "value": name}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)


def shown(browser: Any, site: Any, view: str) -> None:
    """Open a view, and wait until it has a heading and asks for nothing more."""
    browser.get("about:blank")
    browser.get(f"{str(site.base_url).rstrip('/')}/{view}")
    until(lambda: every(browser, "main h1"), "the view is there")
    if "map" in view and "nothing" not in view:
        until(lambda: "devices read" in text(browser), "the figures are there")


def every(browser: Any, selector: str) -> list[Any]:
    return browser.find_elements("css selector", selector)


def one(browser: Any, selector: str) -> Any:
    """Return the first that is drawn; the page may still be at it."""
    until(lambda: every(browser, selector), f"{selector} is drawn")
    return browser.find_element("css selector", selector)


def text(browser: Any) -> str:
    return browser.execute_script("return document.body.innerText")


def heading(browser: Any) -> str:
    return browser.execute_script("return document.querySelector('main h1')?.textContent ?? ''")


def box(browser: Any, label: str) -> Any:
    """Return the box of a device or a group, once the page has drawn it."""
    return one(browser, f'g.box[aria-label*="{label}"]')


def keys(browser: Any, *sent: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*sent).perform()


def focused(browser: Any) -> str:
    return browser.execute_script(
        "const at = document.activeElement;"
        "return at.getAttribute('aria-label') || at.value || at.textContent"
    )


def tab_to(browser: Any, wanted: str, most: int = 80) -> None:
    """Press Tab until something with such a name has the focus."""
    from selenium.webdriver.common.keys import Keys

    for _ in range(most):
        if (focused(browser) or "").startswith(wanted):
            return
        keys(browser, Keys.TAB)
    raise AssertionError(f"{wanted} is not reached by Tab")


@pytest.fixture(scope="module")
def axe() -> str:
    """Return the script of axe-core."""
    found = find_spec("axe_core_python")
    if found is None or found.origin is None:
        missing_judge("axe-core-python (dependency group dev)")
    return (Path(found.origin).parent / "axe.min.js").read_text()


def violations(browser: Any, axe: str) -> list[str]:
    browser.execute_script(axe)
    result = browser.execute_async_script(
        "const done = arguments[0];"
        "axe.run(document).then(done, (error) => done({error: String(error)}))"
    )
    assert "error" not in result, result
    return [
        f"{one['impact']} {one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}"
        for one in result["violations"]
        if one["impact"] in {"serious", "critical"}
    ]


@pytest.mark.parametrize("dark", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_has_no_serious_finding(page: Any, site: Any, axe: str, view: str, dark: str) -> None:
    scheme(page, dark)
    shown(page, site, view)
    assert violations(page, axe) == []


def sound(browser: Any, axe: str) -> None:
    """Check what is shown now: in dark at a desk, and in light on a phone."""
    for width, theme in ((1280, "dark"), (390, "light")):
        size(browser, width)
        scheme(browser, theme)
        assert (width, theme, violations(browser, axe)) == (width, theme, [])
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.execute_script(BROKEN_WORDS) == []
        assert browser.execute_script(RAW_NAMES) == []


def ask_for_hosts(browser: Any, nodes: int) -> None:
    asked = one(browser, "input[name=nodes]")
    browser.execute_script("arguments[0].value = arguments[1]", asked, nodes)
    one(browser, "form.ask button.main").click()


def test_axe_sees_what_opens_on_the_map(page: Any, site: Any, axe: str) -> None:
    shown(page, site, "#/map")
    for selector in ("g.box.leaf", "g.box.many", "g.line .reach"):
        page.execute_script(
            "document.querySelector(arguments[0])"
            ".dispatchEvent(new MouseEvent('click', {bubbles: true}))",
            selector,
        )
        until(lambda: one(page, ".panel h2").is_displayed(), "it is open")
        sound(page, axe)


def test_axe_sees_answers(page: Any, site: Any, axe: str) -> None:
    shown(page, site, "#/placement")
    ask_for_hosts(page, 2)  # a long table of ranks takes axe minutes
    until(lambda: every(page, ".answer table"), "hosts are chosen")
    sound(page, axe)
    ask_for_hosts(page, 60)
    until(lambda: every(page, ".answer .problem"), "there is no place")
    sound(page, axe)
    shown(page, site, "#/what-if?unit=su1")
    box(page, "su1-rail0").click()
    until(lambda: every(page, ".answer .card"), "the answer is there")
    sound(page, axe)


def test_axe_does_find_what_is_wrong(page: Any, site: Any, axe: str) -> None:
    shown(page, site, "#/map")
    page.execute_script("document.getElementById('fabric').parentElement.style.color = '#ddd'")
    page.execute_script("document.querySelector('label[for=query]').remove()")
    page.execute_script("document.getElementById('query').removeAttribute('placeholder')")
    found = " ".join(violations(page, axe))
    assert "color-contrast" in found
    assert "label" in found


@pytest.mark.parametrize("view", VIEWS)
def test_it_fits_a_phone_and_breaks_no_word(page: Any, site: Any, view: str) -> None:
    size(page, 390, 844)
    shown(page, site, view)
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    for width in (390, 768, 1280):
        size(page, width)
        assert page.execute_script(BROKEN_WORDS) == []
    assert page.execute_script(RAW_NAMES) == []


def test_the_map_scrolls_in_its_box_on_a_phone_and_fits_it_on_demand(page: Any, site: Any) -> None:
    """Its right end is reached by scrolling; `Fit` shows the whole width, and zoom leads back."""
    size(page, 390, 844)
    shown(page, site, "#/map")
    widths = (
        "const at = document.querySelector('.canvas');"
        "at.scrollTo(100000, 0);"
        "return [at.clientWidth, at.scrollWidth, Math.ceil(at.scrollLeft) + at.clientWidth]"
    )
    width, whole, reached = page.execute_script(widths)
    assert width <= 390 < whole <= reached
    one(page, "button[aria-label='Fit (0)']").click()
    width, whole, _ = page.execute_script(widths)
    assert whole <= width
    one(page, "button[aria-label='Zoom in (+)']").click()
    width, whole, _ = page.execute_script(widths)
    assert whole > width


@pytest.mark.parametrize("view", ["#/map", "#/placement", "#/what-if"])
def test_a_map_on_a_phone_opens_at_its_devices(page: Any, tmp_path: Path, view: str) -> None:
    """Not at the captions at its left; also when a scroll bar makes the place narrower."""
    left = (
        "const at = document.querySelector('.canvas').getBoundingClientRect();"
        "const all = [...document.querySelectorAll('.box .face')];"
        "return Math.min(...all.map((box) => box.getBoundingClientRect().left)) - at.left"
    )
    size(page, 400, 844)
    with served(tmp_path / "state", INVENTORY / "tenants") as client:
        page.get(f"{str(client.base_url).rstrip('/')}/{view}")
        until(lambda: every(page, "g.box"), "the picture is there")
        for width in (400, 380):
            size(page, width, 844)
            page.execute_async_script("const [done] = arguments; setTimeout(done, 500)")
            assert 0 <= page.execute_script(left) < 100
        page.get("about:blank")


def test_a_broken_word_and_a_raw_name_are_seen(page: Any, site: Any) -> None:
    size(page, 390, 844)
    shown(page, site, "#/device/su1-rail0")
    page.execute_script("document.querySelector('td bdi').style.cssText = 'word-break: break-all'")
    page.execute_script("document.querySelector('td').style.cssText = 'display: block; width: 2em'")
    assert page.execute_script(BROKEN_WORDS) != []
    page.execute_script("document.querySelector('dt').textContent = 'pool_bytes'")
    assert page.execute_script(RAW_NAMES) == ["pool_bytes"]


def test_fields_have_words(page: Any, site: Any) -> None:
    shown(page, site, "#/device/su1-rail0")
    seen = {row.text.replace("\n", ": ") for row in every(page, ".facts div")}
    assert {"packet buffer: 158,229,504 bytes", "largest MTU that would fit: 9,216 bytes"} <= seen
    assert "PFC pause frames, priority 3, received" in text(page)
    shown(page, site, "#/map")
    assert "wrong cables" in text(page)
    shown(page, site, "#/device/gpu001")
    until(lambda: every(page, ".facts div"), "the device is there")
    assert "VLAN 101, 10.64.0.2/24" in text(page)
    assert "serial" not in text(page)  # a host does not tell it
    shown(page, site, "#/placement")
    page.execute_script("document.querySelector('input[name=gpus_per_node]').max = 99")
    gpus = one(page, "input[name=gpus_per_node]")
    gpus.clear()
    gpus.send_keys("9\n")
    until(lambda: "9 GPUs per host are needed, but the hosts have 8" in text(page), "it is told")
    assert one(page, "#wrong-gpus_per_node").text.startswith("9 GPUs per host")
    assert not every(page, ".answer *")
    page.get_log("browser")  # 422 is what was asked for


def test_hostile_names_stay_text(page: Any, site: Any) -> None:
    for view in ("#/device/su1-rail0", "#/map", "#/cable/su1-rail0/Ethernet0", "#/what-if"):
        shown(page, site, view)
        assert (
            page.execute_script("return document.querySelectorAll('main img, main script').length")
            == 0
        )
        assert page.execute_script("return document.documentElement.scrollWidth") <= 1280
    shown(page, site, "#/device/su1-rail0")
    until(lambda: MARKUP in text(page), "the reason is there")
    seen = text(page)
    assert MARKUP in seen
    assert "x" * 200 in seen
    assert "x" * 300 not in seen
    assert any("\u202e" in item.get_attribute("textContent") for item in every(page, "bdi"))


def test_the_policy_stops_scripts_of_strings(page: Any, site: Any) -> None:
    shown(page, site, "#/map")
    tried = page.execute_script(
        "const failed = [];"
        "for (const run of [() => { document.body.innerHTML = '<b>x</b>'; },"
        " () => { document.createElement('script').text = 'window.hit = 1'; }])"
        " try { run(); } catch (error) { failed.push(error.name); } return failed;"
    )
    assert tried == ["TypeError", "TypeError"]
    page.get_log("browser")


def test_a_click_opens_a_device_and_a_cable(page: Any, site: Any) -> None:
    shown(page, site, "#/map")
    box(page, "su1-rail1").click()
    assert one(page, ".panel h2").text == "su1-rail1"
    one(page, ".panel a.main").click()
    until(lambda: "su1-rail1" in heading(page), "the device is there")
    until(lambda: "64 of 64" in text(page), "its ports are counted")
    one(page, 'a[href="#/cable/su1-rail1/Ethernet0"]').click()
    until(lambda: "gpu001 eth2" in heading(page), "the cable is there")
    until(lambda: "vendor's row, used by the port" in text(page), "the headroom is there")
    page.back()
    until(lambda: heading(page) == "su1-rail1", "the device is there again")


@pytest.mark.parametrize("width", [1280, 400])
def test_a_cable_shows_what_both_ends_are_told(page: Any, site: Any, width: int) -> None:
    """Each line of `rocefab show cable` with its verdict, in a width that has room for it."""
    told = site.get("/v1/devices/su1-rail0/cable", params={"port": "Ethernet0"}).json()["lines"]
    size(page, width)
    shown(page, site, "#/cable/su1-rail0/Ethernet0")
    until(lambda: every(page, ".ends tbody tr"), "the ends are compared")
    rows = every(page, ".ends tbody tr")
    verdicts = [row.find_element("css selector", ".badge").text for row in rows]
    assert verdicts == [line["verdict"] for line in told]
    fec = next(row.text for row in rows if row.text.startswith("FEC"))
    assert all(word in fec for word in ("auto", "rs", "ok", "HST017"))
    assert "pause storm is not set" in text(page)
    assert "at Kmax, all above it" in text(page)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    until(lambda: len(every(page, ".stacked")) == 2, "the headroom is there")
    for region in every(page, ".stacked"):
        inside = page.execute_script("return arguments[0].scrollWidth", region)
        assert inside <= region.size["width"]


def test_a_cable_between_switches_is_compared_with_no_host(page: Any, site: Any) -> None:
    shown(page, site, "#/cable/su1-rail0/Ethernet256")
    until(lambda: every(page, ".sum"), "all of the cable is there")
    assert not every(page, ".ends")


def test_cabled_ports_are_counted(page: Any, tmp_path: Path) -> None:
    """Neither interfaces without a planned cable, nor a NIC that is switched off as planned."""
    readings = tmp_path / "readings.jsonl"
    fabric = Project(INVENTORY / "tenants").fabric
    lines = next(iter(records(fabric, ["su2-rail1", "gpu004"], 1)))
    switch = json.loads(lines[0])
    ports = switch["state"]["interfaces"]
    down = next(end for end in ends_of(fabric, "su2-rail1") if not end.is_nic)
    ports[down.port]["up"] = False
    ports |= {f"Vlan{number}": {"up": True} for number in range(30)}
    append(readings, [[json.dumps(switch), lines[1]]])
    with served(tmp_path / "state", INVENTORY / "tenants", readings=readings) as client:
        for device, told in (
            ("su2-rail1", "2 of 3, 1 in quarantine, as planned"),
            ("gpu004", "1 of 1, 1 in quarantine, as planned"),
        ):
            page.get("about:blank")
            page.get(f"{str(client.base_url).rstrip('/')}/#/device/{device}")
            until(lambda: every(page, ".facts div"), "the device is there")
            seen = {row.text.replace("\n", ": ") for row in every(page, ".facts div")}
            assert f"cabled ports that are up: {told}" in seen
        rows = [row.text for row in every(page, "[aria-label=Ports] tbody tr")]
        assert ["blue" in row for row in rows] == [True, False]
        assert "in quarantine, as planned none: in quarantine" in rows[1]
        assert not every(page, "[aria-label=Ports] .badge.down")
        page.get(f"{str(client.base_url).rstrip('/')}/#/cable/gpu004/eth2")
        until(lambda: len(every(page, ".stacked")) == 2, "all of the cable is there")
        assert text(page).count("none: in quarantine") == 2
        assert "switched off" not in text(page)


def test_a_group_opens_and_filters_are_in_the_address(page: Any, site: Any) -> None:
    from selenium.webdriver.support.ui import Select

    shown(page, site, "#/map")
    box(page, "gpu[033-064]").click()
    next(item for item in every(page, ".panel button") if item.text == "Show its devices").click()
    until(lambda: page.current_url.endswith("#/map?unit=su2"), "the filter is in the address")
    until(lambda: len(every(page, "g.box.leaf")) == 8, "one unit is drawn")
    Select(one(page, "select[name=rail]")).select_by_value("3")
    until(lambda: len(every(page, "g.box.leaf")) == 1, "one rail is drawn")
    next(item for item in every(page, ".filters button") if item.text == "Show all").click()
    until(lambda: len(every(page, "g.box.leaf")) == 16, "all is drawn")


def test_a_chosen_bundle_shows_the_leaves_that_it_connects(page: Any, site: Any) -> None:
    """The bar of its leaves stays, that of the others fades; the legend says what a bar is."""
    shown(page, site, "#/map")
    combs = [len(every(page, f"g.comb{kind}")) for kind in ("", ".mine")]
    box(page, "su1-rail0").click()
    combs.append(len(every(page, "g.comb.mine")))
    box(page, "spine01").click()
    combs.append(len(every(page, "g.comb.mine")))
    assert combs == [2, 0, 1, 2]
    assert "lines at a bar connect each leaf under its teeth" in one(page, ".legend").text


def test_a_part_of_a_bundle_is_drawn_as_a_part(page: Any, axe: str, tmp_path: Path) -> None:
    """With its number, and with the names of the devices; What if draws the plan."""
    conditions = {name: {"health": "down"} for name in ("gpu005", "su1-rail1:Ethernet0")}
    with served(tmp_path / "state", INVENTORY / "rail-512") as client:
        client.patch("/v1/state", json={"conditions": conditions})
        url = str(client.base_url).rstrip("/")
        page.get(f"{url}/#/map")
        hosts, leaf = box(page, "gpu[001-032]"), box(page, "su1-rail1")
        assert "1 of 32 down" in hosts.text
        assert leaf.text.endswith("rail 1")
        assert "2 of 32 cables down" in leaf.get_attribute("aria-label")
        assert every(page, ".box.sick.down") == []
        shares = {item.text for item in every(page, ".line.some .share")}
        assert shares == {"1/32", "2/32"}
        assert every(page, ".line.down") == []
        assert page.execute_script(MISPLACED)[1] == []
        hosts.click()
        marked = [item.text for item in every(page, ".panel .members li") if "down" in item.text]
        assert marked == ["gpu001 cable down", "gpu005 down"]
        sound(page, axe)
        size(page, 1280)
        next(item for item in every(page, ".panel button") if "su1-rail1" in item.text).click()
        assert [item.text for item in every(page, ".panel .members li")] == ["gpu001", "gpu005"]
        page.get("about:blank")
        page.get(f"{url}/#/what-if")
        one(page, "g.box")
        assert every(page, ".sick, .mark, .share, .line.some") == []
        box(page, "su1-rail0").click()
        until(lambda: every(page, ".box.hurt"), "hosts that lose bandwidth are marked")
        assert box(page, "gpu[001-032]").text.endswith("32 of 32 lose")
        assert box(page, "gpu[033-064]").text.endswith("NICs")
        assert [item.text for item in every(page, ".key")] == [
            *(f"rail {rail}" for rail in range(8)),
            *("several rails, or none", "fails", "some of the cables of a line fail"),
            "host that loses bandwidth",
            "lines at a bar connect each leaf under its teeth",
        ]


def three_units(folder: Path) -> Path:
    """Write an inventory whose leaves have boxes of 40 pixels; 6 hosts of su3 are in quarantine."""
    units = "".join(
        f'  - {{name: su{unit}, hosts: "gpu[{unit * 32 - 31:02}-{unit * 32:02}]"}}\n'
        for unit in (1, 2, 3)
    )
    text = (INVENTORY / "tenants" / "fabric.yaml").read_text()
    for before, after in (
        (text[text.index("  - {name: su1") : text.index("spines:")], units),
        ('hosts: "gpu[001,003]"}', 'hosts: "gpu[01-40]"}'),
        ("hosts: gpu002, nics: {gpu004: [0]}}", 'hosts: "gpu[41-90]"}'),
        ("7050CX3-32S, host_ports: 16", "7060DX5-64S, host_ports: 32"),
        *(("rails: 2", "rails: 8"), ("gpus: 2", "gpus: 8")),
        *(
            ("eth[1-2]", "eth[1-8]"),
            ("mlx5_[1-2]", "mlx5_[1-8]"),
            ("10.254.0.0/21", "10.240.0.0/14"),
        ),
    ):
        text = text.replace(before, after)
    folder.mkdir()
    (folder / "fabric.yaml").write_text(text)
    return folder


def test_leaves_keep_their_rail_and_a_group_in_part_of_a_tenant_is_marked(
    page: Any, tmp_path: Path
) -> None:
    with served(tmp_path / "state", three_units(tmp_path / "fabric")) as client:
        client.patch("/v1/state", json={"conditions": {"gpu05": {"health": "down"}}})
        page.get(f"{str(client.base_url).rstrip('/')}/#/map")
        assert "1 of 32 down" in box(page, "gpu[01-32]").text
        details = [item.text for item in every(page, "g.box.leaf .detail")]
        assert details == [f"rail{rail}" for rail in range(8)] * 3
        assert page.execute_script(MISPLACED)[1] == []
        assert len(every(page, "g.box.leaf.sick")) == 8
        assert len(every(page, "g.line.apart")) == 8
        assert {item.text for item in every(page, "g.line.apart .share")} == {"6/32"}
        mixed = box(page, "gpu[65-96]")
        assert {"tenant1", "mixed"} <= {*mixed.get_attribute("class").split()}
        assert "blue, NICs of no tenant" in mixed.get_attribute("aria-label")
        keys = {"tenant blue in part", "some cables of a line in quarantine"}
        assert keys <= {*keys_of(page)}
        assert page.execute_script(UNEXPLAINED) == []


def test_devices_that_differ_are_marked_on_the_map(page: Any, site: Any) -> None:
    shown(page, site, "#/map")
    until(lambda: "device that differs from the plan: 2" in keys_of(page), "the legend counts it")
    marked, hosts = every(page, "g.box:has(.differs)")
    assert "differs from the plan" in marked.get_attribute("aria-label")
    assert "1 of 32 differs from the plan" in hosts.get_attribute("aria-label")
    overview = next(item for item in every(page, ".card") if "Overview" in item.text).text
    assert "devices that differ from the plan\nsu1-rail0 gpu002 (86 not compared)" in overview
    planned = next(line for line in overview.splitlines() if "not read" in line)
    assert planned.endswith("not read)")
    marked.click()
    assert "differs from the plan" in one(page, ".panel").text
    shown(page, site, "#/device/gpu002")
    until(lambda: "PFC is off" in text(page), "the page of the device has it")
    assert "eth1 PFC" in text(page)


def test_the_legend_folds_on_a_phone(page: Any, site: Any) -> None:
    size(page, 400)
    shown(page, site, "#/map")
    assert not one(page, ".legend").is_displayed()
    one(page, ".fold summary").click()
    assert "rail 0" in keys_of(page)
    size(page, 1280)
    until(lambda: one(page, ".legend").is_displayed(), "it is open where there is room")


def test_drift_is_shown_with_both_values_since_when_and_by_whom(
    page: Any, axe: str, tmp_path: Path
) -> None:
    """By keys alone, from the map to the row; it goes when the drift ends."""
    from selenium.webdriver.common.keys import Keys

    values = {"planned": "3,4", "running": MARKUP}
    wrong = Finding("DRF001", Severity.ERROR, "x", "y", "pfc", device="su1-rail0", **values)
    began = Event.opened(wrong, datetime(2026, 11, 24, 12, tzinfo=UTC), (f"{MARKUP} by cli",))
    file = tmp_path / "drift.jsonl"
    file.write_text(line(began))
    with served(tmp_path / "state", DEMO, drift=file, watch_s=0.05) as client:
        page.get(f"{str(client.base_url).rstrip('/')}/#/map")
        until(lambda: every(page, "g.box"), "the map is there")
        tab_to(page, "su1-rail0")
        keys(page, Keys.ENTER)
        tab_to(page, "Open")
        keys(page, Keys.ENTER)
        until(lambda: heading(page) == "su1-rail0", "the device is there")
        tab_to(page, "Drift")
        cells = [cell.text for cell in every(page, "[aria-label=Drift] td")]
        assert cells == ["PFC", "3,4\ny", MARKUP, "2026-11-24 12:00:00", f"{MARKUP} by cli"]
        for name in ("light", "dark"):
            scheme(page, name)
            assert violations(page, axe) == []
        size(page, 390, 844)
        assert page.execute_script("return document.documentElement.scrollWidth") <= 390
        with file.open("a") as more:
            more.write(line(began.closed(began.time)))
        until(lambda: "no drift lasts" in text(page), "the end of it is shown")


def test_all_of_it_without_a_mouse(page: Any, site: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    shown(page, site, "#/map")
    tab_to(page, "state")
    keys(page, Keys.ARROW_RIGHT)
    assert page.current_url.endswith("#/map?by=load")
    until(lambda: every(page, "g.line.step4"), "lines have the colours of load")
    tab_to(page, "spine01")
    keys(page, Keys.ENTER)
    assert one(page, ".panel h2").text == "spine01"
    keys(page, Keys.ESCAPE)
    assert not one(page, ".panel").is_displayed()
    assert focused(page).startswith("spine01")
    before = one(page, "svg.drawing").size["width"]
    keys(page, "+")
    assert one(page, "svg.drawing").size["width"] > before
    keys(page, "0")
    assert one(page, "svg.drawing").size["width"] == before
    keys(page, "/", "su1-rail0", Keys.ENTER)
    until(lambda: "su1-rail0" in heading(page), "the device is there")
    tab_to(page, "Ethernet0")
    keys(page, Keys.ENTER)
    until(lambda: "Ethernet0" in heading(page), "the cable is there")


#: What has the focus: its name, whether it is seen, and whether it looks as if it had the focus.
FOCUS = """
const at = document.activeElement;
const { left, top, right, bottom } = at.getBoundingClientRect();
const drawn = at.matches('.views input') ? at.nextElementSibling : at;
const skip = document.querySelector('.skip');
const face = at.querySelector(':scope > .face');
const isMarked = getComputedStyle(drawn).outlineStyle !== 'none'
  || (face !== null && getComputedStyle(face).stroke === getComputedStyle(skip).color);
const isSeen = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
const label = at.getAttribute('aria-label') || at.labels?.[0]?.textContent || at.textContent;
return [at.tagName, label.trim(), isSeen, isMarked];
"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("view", ["#/map", "#/device/su1-rail0", "#/placement", "#/what-if"])
def test_tab_walks_through_a_view(page: Any, site: Any, view: str, width: int) -> None:
    """Each stop has a name, is scrolled to, and shows that it has the focus; none is a trap."""
    from selenium.webdriver.common.keys import Keys

    size(page, width)
    shown(page, site, view)
    page.execute_script("document.getElementById('main').focus()")
    stops = []
    for _ in range(30):
        keys(page, Keys.TAB)
        stop = page.execute_script(FOCUS)
        if stop[0] == "BODY":
            break
        assert all(stop), stop
        stops.append(stop[1])
    assert len({*stops}) > 10


def test_a_job_and_a_failure_without_a_mouse(page: Any, site: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    shown(page, site, "#/placement")
    tab_to(page, "Choose hosts")
    keys(page, Keys.ENTER)
    until(lambda: every(page, ".answer table"), "hosts are chosen")
    shown(page, site, "#/what-if?unit=su1")
    tab_to(page, "spine01")
    keys(page, Keys.ENTER)
    until(lambda: every(page, ".answer .card"), "the answer is there")
    page.execute_script("document.getElementById('main').focus()")
    tab_to(page, "spine01 works again")
    keys(page, Keys.ENTER)
    until(lambda: not every(page, ".answer *"), "all works")


def test_new_readings_are_drawn_without_a_reload(page: Any, site: Any) -> None:
    shown(page, site, "#/map?by=error_per_s")
    page.execute_script("window.kept = 1")
    before = len(every(page, "g.line.step2"))
    port = next(end.port for end in ends_of(site.fabric, "su2-rail7"))
    does = busy({("su2-rail7", port): Traffic(error_per_s=50.0)})
    append(site.readings, records(site.fabric, ["su2-rail7"], 2, does))
    until(lambda: len(every(page, "g.line.step2")) == before + 1, "the line has its colour")
    assert page.execute_script("return window.kept") == 1


def test_a_placement_lights_up(page: Any, site: Any) -> None:
    shown(page, site, "#/placement")
    hint = "return document.querySelector('input[name=exclude]').placeholder"
    until(lambda: page.execute_script(hint) == "gpu[001-032]", "hosts of this fabric are named")
    nodes = one(page, "input[name=nodes]")
    nodes.clear()
    nodes.send_keys("40")
    traffic = one(page, "input[name=traffic]")
    traffic.clear()
    traffic.send_keys("all-to-all")
    one(page, "form.ask button.main").click()
    until(lambda: len(every(page, "g.box.lit")) == 2, "hosts of both units are lit")
    expected = site.post("/v1/placements", json={"nodes": 40, "traffic": "all-to-all"}).json()
    assert expected["hostlist"] in text(page)
    assert len(every(page, "g.line.lit")) == 16
    assert len(every(page, "g.line.step1")) >= 16
    assert len(every(page, "table tbody tr")) == 256
    nodes.clear()
    nodes.send_keys("60")
    one(page, "form.ask button.main").click()
    until(lambda: every(page, ".problem"), "there is no place")
    assert every(page, "g.box.lit") == []


def test_a_placement_is_of_a_tenant(page: Any, site: Any, tmp_path: Path) -> None:
    """Where there are tenants; the first one is chosen at first."""
    with served(tmp_path / "state", INVENTORY / "tenants") as client:
        shown(page, client, "#/placement")
        one(page, "select[name=tenant]")
        one(page, "form.ask button.main").click()
        until(lambda: "gpu[001,003]" in text(page), "the hosts of red are chosen")
        nodes = one(page, "input[name=nodes]")
        nodes.clear()
        nodes.send_keys("1")
        one(page, "select[name=tenant] option[value=blue]").click()
        one(page, "form.ask button.main").click()
        until(lambda: "su1 is the tightest unit" in text(page), "the host of blue is chosen")
        assert one(page, ".hostlist").text == "gpu002"
    shown(page, site, "#/placement")
    until(lambda: every(page, "g.box"), "the picture is there")
    assert every(page, "select[name=tenant]") == []


def keys_of(browser: Any) -> list[str]:
    return [item.text for item in every(browser, ".key")]


def test_a_legend_says_what_each_colour_is(page: Any, site: Any, tmp_path: Path) -> None:
    """Rails before an answer, load after it; frames of tenants in both."""
    with served(tmp_path / "state", INVENTORY / "tenants") as client:
        for dark in ("light", "dark"):
            scheme(page, dark)
            page.get(f"{str(client.base_url).rstrip('/')}/#/map")
            until(lambda: every(page, ".key"), "there is a legend")
            assert page.execute_script(UNEXPLAINED) == []
            assert {"rail 0", "rail 1", "tenant red", "tenant blue"} <= {*keys_of(page)}
            shown(page, client, "#/placement")
            one(page, "g.box")
            rest = ["tenant red", "tenant blue", "tenant blue in part"]
            until(lambda: every(page, ".key"), "there is a legend")
            assert keys_of(page) == ["rail 0", "rail 1", "in quarantine, as planned", *rest]
            assert page.execute_script(UNEXPLAINED) == []
            one(page, "form.ask button.main").click()
            until(lambda: every(page, ".answer table"), "hosts are chosen")
            assert page.execute_script(MISPLACED)[1] == []
            assert keys_of(page)[:2] == ["host of the job", "below 20 %"]
            assert keys_of(page)[-4:] == ["not used", *rest]
            assert page.execute_script(UNEXPLAINED) == []
            shown(page, client, "#/what-if")
            until(lambda: "fails" in keys_of(page), "there is a legend")
            assert {"in quarantine, as planned", *rest} <= {*keys_of(page)}
            assert page.execute_script(UNEXPLAINED) == []
    shown(page, site, "#/what-if")
    until(lambda: every(page, ".key"), "there is a legend")
    assert page.execute_script(UNEXPLAINED) == []
    page.execute_script("document.querySelector('.key').remove()")
    assert page.execute_script(UNEXPLAINED) != []


def test_a_job_is_in_the_address(page: Any, tmp_path: Path) -> None:
    """It can be shared and loaded again, and Back leads to the job before."""
    with served(tmp_path / "state", INVENTORY / "tenants") as client:
        view = f"{str(client.base_url).rstrip('/')}/#/placement"
        page.get(f"{view}?nodes=1&traffic=tree&exclude=gpu001&tenant=red")
        until(lambda: "gpu003" in one(page, ".hostlist").text, "it is asked at once")
        values = {item.get_attribute("name"): item.get_attribute("value") for item in inputs(page)}
        shared = {"nodes": "1", "gpus_per_node": "2", "traffic": "tree"}
        assert values == {**shared, "within": "", "exclude": "gpu001", "tenant": "red"}
        one(page, "select[name=tenant] option[value=blue]").click()
        assert "The job was changed" in text(page)
        one(page, "form.ask button.main").click()
        until(lambda: one(page, ".hostlist").text == "gpu002", "the host of blue is chosen")
        assert "The job was changed" not in text(page)
        assert page.current_url.endswith("traffic=tree&exclude=gpu001&tenant=blue")
        page.refresh()
        until(lambda: one(page, ".hostlist").text == "gpu002", "it is asked again")
        page.back()
        until(lambda: one(page, ".hostlist").text == "gpu003", "the job before is there")


def inputs(browser: Any) -> list[Any]:
    return every(browser, "form.ask :is(input, select)")


#: Address of a job, and what each of its fields says.
WRONG_JOBS = {
    "a number": ("nodes=99&tenant=red", {"nodes": "enter a number from 1 to 4"}),
    "an unknown host": (
        "nodes=1&tenant=red&exclude=node-9",
        {"exclude": "no such host: 'node-9'; the map shows the hosts"},
    ),
    "a range": (
        "nodes=1&tenant=red&exclude=gpu[1-",
        {"exclude": "'gpu[1-' is not a name range; use the form gpu[001-064]"},
    ),
    "a traffic": (
        "nodes=1&tenant=red&traffic=star",
        {
            "traffic": "unknown traffic 'star'; use ring, tree, all-to-all, pipeline, or a mix "
            "such as ring:3,all-to-all:1"
        },
    ),
    "what no list has": (
        "nodes=1&tenant=green&within=row",
        {
            "within": "there is no 'row' here; choose from the list",
            "tenant": "there is no 'green' here; choose from the list",
        },
    ),
    "no tenant is chosen": ("nodes=1", {"tenant": "choose a tenant, or 'no tenant'"}),
    "more than the tenant has": (
        "nodes=2&tenant=blue",
        {
            "nodes": "2 hosts are needed, but of the 2 hosts of tenant blue only 1 has all NICs "
            "that the job uses; request at most 1 host, or use fewer GPUs of each"
        },
    ),
    "no place now": ("nodes=2&tenant=red", {}),
}


def test_each_field_says_what_is_wrong_with_it(page: Any, axe: str, tmp_path: Path) -> None:
    """In the words of the form, where an answer was there before; no answer of it stays."""
    with served(tmp_path / "state", INVENTORY / "tenants") as client:
        view = f"{str(client.base_url).rstrip('/')}/#/placement"
        client.post("/v1/jobs", json={"name": "train", "hosts": "gpu001"})
        for job, told in WRONG_JOBS.values():
            page.get(f"{view}?nodes=1&tenant=red")
            until(lambda: every(page, ".answer table"), "hosts are chosen")
            page.execute_script("location.hash = arguments[0]", f"#/placement?{job}")
            until(lambda: every(page, "[aria-invalid], .problem"), "it is refused")
            wrong = {
                item.get_attribute("name"): one(page, f"#wrong-{item.get_attribute('name')}").text
                for item in every(page, "[aria-invalid]")
            }
            assert wrong == told
            assert every(page, ".answer table, g.lit") == []
            assert len(every(page, ".answer .problem")) == (not told)
            sound(page, axe)
            size(page, 1280)
        assert "request fewer hosts" in one(page, ".problem").text
        page.get_log("browser")  # 422 is what was asked for


def test_an_answer_is_of_the_job_that_was_asked(page: Any, site: Any) -> None:
    shown(page, site, "#/placement?nodes=2")
    until(lambda: every(page, ".answer table"), "hosts are chosen")
    assert not every(page, ".view.stale, .view.asking")
    nodes = one(page, "input[name=nodes]")
    nodes.clear()
    nodes.send_keys("3")
    assert every(page, ".view.stale")
    page.execute_script("window.fetch = () => new Promise(() => {})")
    one(page, "form.ask button.main").click()
    until(lambda: every(page, ".view.asking [aria-busy]"), "it is marked while it is asked")
    shown(page, site, "#/placement?nodes=2")
    until(lambda: every(page, ".answer table"), "hosts are chosen")
    nodes = one(page, "input[name=nodes]")
    nodes.clear()
    nodes.send_keys("0")
    one(page, "form.ask button.main").click()
    until(lambda: not every(page, ".answer *, g.lit"), "nothing is left of it")
    assert not every(page, ".view.stale, .view.asking")


def test_what_fails_is_clicked_away(page: Any, site: Any) -> None:
    shown(page, site, "#/what-if?unit=su1")
    box(page, "spine01").click()
    until(lambda: "Traffic that moves" in text(page), "the answer is there")
    until(lambda: "others carry at most 1.14 times as much" in text(page), "the traffic is counted")
    assert "16 leaves" in text(page)
    box(page, "su1-rail0").click()
    until(lambda: "hosts lose a rail" in text(page), "the answer is there")
    until(lambda: len(every(page, ".chips li")) == 2, "both are named")
    until(lambda: len(every(page, "g.box.fails")) == 2, "both are drawn")
    for _ in range(2):
        one(page, ".chips button").click()
    until(lambda: not every(page, "g.box.fails") and not every(page, ".answer *"), "all works")
    line = page.execute_script("return document.querySelector('g.line .reach')")
    page.execute_script(
        "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", line
    )
    until(lambda: every(page, ".chips li") and every(page, ".answer .card"), "a cable fails")


def test_what_fails_is_told_for_tenants_and_quarantine_is_no_fault(
    page: Any, tmp_path: Path
) -> None:
    """gpu004 has a NIC in quarantine: planned, so its box is that of its tenant, not of a fault."""
    with served(tmp_path / "state", INVENTORY / "tenants") as client:
        for view in ("#/map", "#/what-if?fail=su2-rail0"):
            page.get("about:blank")
            page.get(f"{str(client.base_url).rstrip('/')}/{view}")
            until(lambda: every(page, "g.line.quarantine"), "the cable is in quarantine")
            assert not every(page, "g.box.sick, g.line.down")
            host = one(page, 'g.box[aria-label^="gpu004"]')
            assert "tenant1" in host.get_attribute("class")
            if view == "#/map":
                until(lambda: "as planned\n1" in text(page), "the overview counts it")
                assert "cables in quarantine, as planned\n1" in text(page)
        until(lambda: every(page, ".answer table"), "the answer is there")
        assert "1 host loses a rail: gpu003" in text(page)
        assert "hosts that lose a rail, and keep others\n1" in text(page)
        cells = [
            [cell.text for cell in row.find_elements("css selector", "td")]
            for row in every(page, "[aria-label=Tenants] tbody tr")
        ]
        assert [row[:4] for row in cells] == [["red", "1", "0", "0"], ["blue", "1", "0", "1"]]


def test_what_fails_is_in_the_address(page: Any, site: Any) -> None:
    shown(page, site, "#/what-if?unit=su1&fail=spine01,su1-rail0+spine02")
    until(lambda: len(every(page, ".chips li")) == 2, "both fail")
    until(lambda: every(page, ".answer .card"), "the answer is there")
    assert [item.text for item in every(page, "g.box.fails .label")] == ["spine01"]
    one(page, ".chips button").click()
    assert page.current_url.endswith("#/what-if?unit=su1&fail=su1-rail0+spine02")
    shown(
        page,
        site,
        "#/what-if?fail=switch:spine01,cable-bundle:su1-rail0:spine02,link:su1-rail0:Ethernet0",
    )
    until(lambda: len(every(page, ".chips li")) == 3, "words of the command fail")
    until(lambda: "hosts that lose a rail, and keep others\n1" in text(page), "all are asked")
    assert [item.text for item in every(page, "g.box.fails .label")] == ["spine01"]
    leaves = ",".join(f"switch:su1-rail{rail}" for rail in range(8))
    shown(page, site, f"#/what-if?fail={leaves}")
    until(lambda: "hosts cut off\n32" in text(page), "hosts that lose all rails are counted")
    shown(page, site, "#/what-if?fail=spine99")
    until(lambda: "spine99: not in this picture" in text(page), "it is told")


#: Texts at the lines of a leaf of eight: to its hosts, to three spines, and to the last spine.
_LEAF_SHARES = {"37 of 296 fail", "3 of 24 fail", "1 of 8 fails"}
#: What fails of a fabric of groups: part of the address, box and how it is, and texts at lines.
FAILING = {
    "a spine of three": ("switch:spine01", "spine[01-03]", "1 of 3 fails", {"8/24"}),
    "two of three": (
        "switch:spine01,switch:spine02",
        *("spine[01-03]", "2 of 3 fail", {"16/24"}),
    ),
    "a range": ("switch:spine[01,03]", "spine[01-03]", "2 of 3 fail", {"16/24"}),
    "all of a group": (
        "switch:spine01,switch:spine02,switch:spine03",
        *("spine[01-03]", "fails", set()),
    ),
    "a leaf of eight": ("switch:su1-rail0", "su1-rail[0-7]", "1 of 8 fails", _LEAF_SHARES),
    "a host of 37": ("host:gpu001", "gpu[001-037]", "1 of 37 fails", {"8 of 296 fail"}),
    "a cable, and its leaf": (
        "link:su1-rail0:Ethernet0,switch:su1-rail0",
        *("su1-rail[0-7]", "1 of 8 fails", _LEAF_SHARES),
    ),
    "a NIC, twice": (
        "gpu001:eth1,link:su1-rail0:Ethernet0",
        *("gpu[001-037]", "works, 1 of 37 lose bandwidth", {"1 of 296 fails"}),
    ),
    "a bundle": (
        "cable-bundle:su1-rail0:spine01",
        *("spine[01-03]", "works", {"1 of 24 fails"}),
    ),
}


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a client of a fabric whose leaves, spines and hosts are drawn in groups."""
    folder = tmp_path_factory.mktemp("groups")
    size_of = ("--design", "rail-optimised", "--hosts", "256")
    assert main(["init", str(folder / "fabric"), *size_of]) == 0
    with served(folder / "state", folder / "fabric") as client:
        yield client


@pytest.mark.parametrize("case", FAILING)
def test_what_fails_of_a_group_is_drawn_as_a_part(page: Any, groups: Any, case: str) -> None:
    fail, label, words, shares = FAILING[case]
    shown(page, groups, f"#/what-if?fail={fail}")
    until(lambda: every(page, ".answer .card"), "the answer is there")
    failing = box(page, label)
    assert failing.get_attribute("aria-label").endswith(f": {words}")
    kinds = {*failing.get_attribute("class").split()} & {"fails", "some"}
    is_part = " of " in words and "fail" in words
    assert kinds == ({"fails", "some"} if is_part else {words} & {"fails"})
    assert not is_part or words.replace(" of ", "/") in failing.text.replace(" of ", "/")
    assert {item.text for item in every(page, "g.line.some .share")} == shares
    assert len(every(page, "g.line.fails")) == (7 if words == "fails" else 0)
    assert len(every(page, "g.line .mark.fails")) == len(every(page, "g.line.some"))
    assert page.execute_script(MISPLACED)[1] == []


def test_a_host_that_fails_is_cut_off(page: Any, groups: Any) -> None:
    shown(page, groups, "#/what-if?fail=host:gpu040")
    until(lambda: "hosts cut off\n1" in text(page), "it is counted as its pairs are")
    assert "hosts that lose a rail, and keep others\n0" in text(page)


def test_a_leaf_that_fails_is_a_part_of_the_lines_of_its_comb(page: Any, groups: Any) -> None:
    shown(page, groups, "#/what-if?unit=su1&fail=su1-rail0")
    until(lambda: every(page, ".answer .card"), "the answer is there")
    shares = {item.text for item in every(page, "g.line.some .share")}
    assert shares == {"3 of 24 fail", "1 of 8 fails"}
    size(page, 400)
    figures = every(page, "[aria-label=Units] .left")
    assert all(item.rect["x"] + item.rect["width"] <= 400 for item in figures)
    one(page, ".chips button").click()
    until(lambda: not every(page, "g.line:is(.some, .fails), .share"), "all works")


def test_a_part_that_is_down_tells_cables(page: Any, groups: Any) -> None:
    down = {f"su1-rail{rail}:Ethernet0": {"health": "down"} for rail in range(8)}
    groups.patch("/v1/state", json={"conditions": down})
    page.get(f"{str(groups.base_url).rstrip('/')}/#/map")
    leaves = box(page, "su1-rail[0-7]")
    assert "8 of 448 cables down" in leaves.get_attribute("aria-label")
    assert leaves.text.endswith("8 cables down")


def test_a_token_is_asked_for_and_kept_for_the_tab(browser: Any, axe: str, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"read {TOKEN}\n")
    file.chmod(0o600)
    with served(tmp_path / "state", tokens=Tokens(file)) as client:
        browser.get("about:blank")
        browser.get(str(client.base_url))
        until(lambda: every(browser, "#token"), "the form is there")
        one(browser, "#token").send_keys("wrong\n")
        until(lambda: "not valid" in text(browser), "the token is refused")
        sound(browser, axe)
        one(browser, "#token").send_keys(f"{TOKEN}\n")
        until(lambda: every(browser, "g.box"), "the map is there")
        kept = browser.execute_script("return [document.cookie, localStorage.length]")
        assert kept == ["", 0]
        assert TOKEN not in browser.current_url
        browser.refresh()
        until(lambda: every(browser, "g.box"), "the map is there again")
        one(browser, "#logout").click()
        until(lambda: every(browser, "#token"), "the form is there again")
        browser.get("about:blank")
    only = [line for line in errors(browser) if "401 (Unauthorized)" not in line]
    assert only == []


def test_a_service_that_stops_is_said_and_comes_back(page: Any, tmp_path: Path) -> None:
    with served(tmp_path / "state") as client:
        page.get(str(client.base_url))
        until(lambda: every(page, "g.box"), "the map is there")
    until(lambda: every(page, ".notes .problem"), "it is said", 20)
    assert every(page, "g.box")
    page.get("about:blank")
    page.get_log("browser")
