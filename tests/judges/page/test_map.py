"""The map, and what opens on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric.topology.device_ends import ends_of
from tests.judges.misplaced import MISPLACED
from tests.judges.page.browser import box, every, one, scheme, shown, size, sound, text
from tests.serve.records import Traffic, append, busy, records
from tests.serve.servers import served
from tests.topology.fabrics import INVENTORY, example
from tests.topology.test_drawing import drawn
from tests.waiting import until

#: Colours of lines and of borders of hosts with a meaning, without those of the legend.
UNEXPLAINED = r"""
const swatches = [...document.querySelectorAll('.key .swatch:not(.several)')];
const known = new Set(swatches.map((at) => getComputedStyle(at).borderTopColor));
const drawn = [...document.querySelectorAll('.line .ink, .box:is(.owned, .lit, .sick) .face')];
return drawn.filter((at) => !known.has(getComputedStyle(at).stroke)).map((at) =>
  at.parentNode.getAttribute('class'));
"""


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
    assert "32 cables of 400G, 40 m" in one(page, ".panel ul.plain").text
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
            *("cables of no single rail", "fails", "some of the cables of a line fail"),
            "host that loses bandwidth",
            "lines at a bar connect each leaf under its teeth",
        ]


def test_degraded_cables_are_drawn(page: Any, axe: str, tmp_path: Path) -> None:
    """As a part of their line, or as the whole of it, with the boxes at both ends."""
    conditions = {
        "gpu003": {"health": "drained"},
        "gpu010:eth2": {"health": "degraded", "capacity": 0.5},
        "gpu040:eth1": {"health": "degraded"},
    }
    with served(tmp_path / "state", INVENTORY / "rail-512") as client:
        client.patch("/v1/state", json={"conditions": conditions})
        page.get(f"{str(client.base_url).rstrip('/')}/#/map")
        hosts, leaf = box(page, "gpu[001-032]"), box(page, "su1-rail1")
        assert "1 of 32 drained" in hosts.text
        assert "1 of 32 cables degraded" in leaf.get_attribute("aria-label")
        others = box(page, "gpu[033-064]")
        assert others.text.endswith("1 cable degraded")
        assert "1 of 256 cables degraded" in others.get_attribute("aria-label")
        assert [item.text for item in every(page, ".line.some .share")] == ["1 of 32 degraded"] * 2
        assert "degraded: 2" in keys_of(page)
        overview = next(item for item in every(page, ".card") if "Overview" in item.text).text
        assert "degraded cables\n2\n" in overview
        hosts.click()
        marked = [item.text for item in every(page, ".panel .members li")][:2]
        assert marked == ["gpu003 drained", "gpu010 cable degraded"]
        assert page.execute_script(MISPLACED)[1] == []
        sound(page, axe)
        page.get("about:blank")
    with served(tmp_path / "demo", INVENTORY / "demo") as client:
        degraded = {"gpu003:eth1": {"health": "degraded"}, "spine01": {"health": "down"}}
        client.patch("/v1/state", json={"conditions": degraded})
        for look in ("light", "dark"):
            scheme(page, look)
            page.get(f"{str(client.base_url).rstrip('/')}/#/map")
            until(lambda: every(page, ".key"), "there is a legend")
            assert len(every(page, ".line.degraded .mark.degraded")) == 1
            for name in ("gpu003", "su2-rail0"):
                assert "sick some" in box(page, name).get_attribute("class")
            assert page.execute_script(UNEXPLAINED) == []
        page.get("about:blank")


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


def test_hosts_and_leaves_have_the_borders_of_their_tenants(page: Any, tmp_path: Path) -> None:
    """The same as in pictures of `rocefab draw`."""
    names = ("owned", "mixed", "shared", "tenant0", "tenant1")
    classes = {
        "plain": lambda _: set(),
        "tenant": lambda number: {"owned", f"tenant{number}"},
        "mixed": lambda number: {"owned", "mixed", f"tenant{number}"},
        "shared": lambda _: {"owned", "shared"},
    }
    plan = drawn(example("tenants"))
    planned = {
        box.name: classes[box.border](plan.tenants.index(box.tenants[0][0]) if box.tenants else -1)
        for box in plan.boxes
    }
    assert len(planned["su1-rail0"]) == 2
    with served(tmp_path / "state", INVENTORY / "tenants") as client:
        page.get(f"{str(client.base_url).rstrip('/')}/#/map")
        until(lambda: every(page, "g.box"), "the picture is there")
        shown_borders = {
            item.get_attribute("aria-label").split(",")[0]: {
                *item.get_attribute("class").split()
            }.intersection(names)
            for item in every(page, "g.box")
        }
        assert shown_borders == planned
        card = next(item.text for item in every(page, ".card") if "Tenants" in item.text)
        assert card.splitlines()[1:] == ["red", "2 hosts", "blue", "2 hosts"]
        assert page.execute_script(UNEXPLAINED) == []
        page.get("about:blank")


def test_devices_that_differ_are_marked_on_the_map(page: Any, site: Any) -> None:
    shown(page, site, "#/map")
    until(lambda: "device that differs from the plan: 2" in keys_of(page), "the legend counts it")
    marked, hosts = every(page, "g.box:has(.differs)")
    assert "differs from the plan" in marked.get_attribute("aria-label")
    assert "1 of 32 differs from the plan" in hosts.get_attribute("aria-label")
    overview = next(item for item in every(page, ".card") if "Overview" in item.text).text
    assert "devices that differ from the plan\nsu1-rail0 gpu002 (86 not compared)" in overview
    sessions = overview.partition("BGP sessions down (ends)\n")[2]
    assert sessions.startswith("1 of 4: spine01\n")
    label = next(
        label
        for item in every(page, "g.box")
        if "spine01" in (label := item.get_attribute("aria-label"))
    )
    assert "1 BGP session down" in label
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


def test_new_readings_are_drawn_without_a_reload(page: Any, site: Any) -> None:
    shown(page, site, "#/map?by=error_per_s")
    page.execute_script("window.kept = 1")
    before = len(every(page, "g.line.step2"))
    port = next(end.port for end in ends_of(site.fabric, "su2-rail7"))
    does = busy({("su2-rail7", port): Traffic(error_per_s=50.0)})
    append(site.readings, records(site.fabric, ["su2-rail7"], 2, does))
    until(lambda: len(every(page, "g.line.step2")) == before + 1, "the line has its colour")
    assert page.execute_script("return window.kept") == 1


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
            alone = ["tenant red", "tenant blue"]
            rest = [*alone, *(f"{name} in part" for name in alone), "several tenants"]
            until(lambda: every(page, ".key"), "there is a legend")
            assert keys_of(page) == ["rail 0", "rail 1", "in quarantine, as planned", *rest]
            assert page.execute_script(UNEXPLAINED) == []
            one(page, "form.ask button.main").click()
            until(lambda: every(page, ".answer table"), "hosts are chosen")
            assert page.execute_script(MISPLACED)[1] == []
            assert keys_of(page)[:3] == ["host of the job", "cable of such a host", "below 20 %"]
            assert keys_of(page)[-6:] == ["not used", *rest]
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
