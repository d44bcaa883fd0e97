"""A real browser shows the pages of `rocefab draw`: Chromium, driven by selenium."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.render.picture_page import page
from fabric.report.picture import Marks, draw
from fabric.workflow.project import Project
from tests.judges.misplaced import MISPLACED
from tests.judges.page.browser import BROKEN_WORDS, size, violations
from tests.topology.fabrics import INVENTORY
from tests.topology.test_drawing import drawn, wide

EXAMPLES = ("demo", "rail-512", "three-tier", "dual-plane")
HOSTILE = "</script><img src=x onerror=window.hit=1>"


def shown(browser: Any, file: Path) -> None:
    browser.get(file.as_uri())
    assert browser.get_log("browser") == []


def one(browser: Any, selector: str) -> Any:
    return browser.find_element("css selector", selector)


def box(browser: Any, label: str) -> Any:
    number = browser.execute_script(
        "return [...document.querySelectorAll('g.box')].find((box) => "
        "box.querySelector('text').textContent === arguments[0]).dataset.box",
        label,
    )
    return one(browser, f'g.box[data-box="{number}"]')


def view(browser: Any) -> list[float]:
    script = "return document.querySelector('#canvas > svg').getAttribute('viewBox')"
    return [float(part) for part in browser.execute_script(script).split()]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a page of some examples, of a fabric of 4,000 switches, and one with odd names."""
    folder = tmp_path_factory.mktemp("pages")
    files = {}
    for name in EXAMPLES:
        files[name] = folder / f"{name}.html"
        draw(Project(INVENTORY / name), files[name], Marks(wrong={("su1-rail0", "Ethernet128")}))
    large = drawn(wide(1000, 2000, 8))
    odd = replace(large.boxes[0], label=HOSTILE, members=(HOSTILE,))
    odd_names = replace(large, title=HOSTILE, boxes=(odd, *large.boxes[1:]))
    for name, found in (("4000 switches", large), ("odd names", odd_names)):
        names = [member for drawn_box in found.boxes for member in drawn_box.members]
        told = {"facts": [["role", HOSTILE]], "ports": [], "policy": 0}
        data = {"devices": dict.fromkeys(names, told), "policies": [[]], "portless": "too many"}
        files[name] = folder / f"{name}.html"
        files[name].write_text(page(found, data))
    return files


@pytest.mark.parametrize("name", [*EXAMPLES, "4000 switches"])
def test_no_error_and_no_label_over_another(browser: Any, pages: dict[str, Path], name) -> None:
    shown(browser, pages[name])
    count, misplaced = browser.execute_script(MISPLACED)
    assert count > 20
    assert misplaced == []


def test_axe_has_no_serious_finding(browser: Any, pages: dict[str, Path], axe: str) -> None:
    shown(browser, pages["rail-512"])
    assert violations(browser, axe) == []
    for label in ("su1-rail0", "gpu[001-032]"):
        box(browser, label).click()
        assert violations(browser, axe) == []
        assert browser.execute_script(BROKEN_WORDS) == []


def test_letters_are_readable_on_a_small_screen(browser: Any, pages: dict[str, Path]) -> None:
    script = "return document.querySelector('g.box text').getBoundingClientRect().height"
    size(browser, 500)
    shown(browser, pages["rail-512"])
    assert browser.execute_script(script) > 8
    one(browser, "#fit").click()
    assert browser.execute_script(script) < 8
    size(browser, 1280)


def test_the_search_for_overlaps_finds_one(browser: Any, pages: dict[str, Path]) -> None:
    """The judge does refuse: one label is moved onto another."""
    shown(browser, pages["demo"])
    browser.execute_script(
        "const [one, other] = document.querySelectorAll('g.box text');"
        "for (const name of ['x', 'y']) one.setAttribute(name, other.getAttribute(name))"
    )
    assert browser.execute_script(MISPLACED)[1]


def test_search_opens_the_device(browser: Any, pages: dict[str, Path]) -> None:
    shown(browser, pages["rail-512"])
    one(browser, "body").send_keys("/")
    one(browser, "#search").send_keys("RAIL1")
    hits = browser.find_elements("css selector", "#hits button")
    assert [hit.text for hit in hits] == ["su1-rail1", "su2-rail1"]
    one(browser, "#search").send_keys("\n")
    assert one(browser, "#told h2").text == "su1-rail1"
    assert "Ethernet256 spine01 Ethernet32 400G 40 m planned" in one(browser, "#told").text
    assert "PFC priority 3" in one(browser, "#told").text
    assert "rocefab show cable INVENTORY gpu001 eth2" in one(browser, "#told").text
    one(browser, "#search").send_keys("xyz")
    assert one(browser, "#hits").text == "no device has this in its name"
    assert browser.get_log("browser") == []


def test_a_click_shows_a_device_or_the_members_of_a_group(browser, pages) -> None:
    shown(browser, pages["rail-512"])
    box(browser, "su1-rail0").click()
    assert one(browser, "#told h2").text == "su1-rail0"
    assert "wrong cable" in one(browser, "#told").text
    assert one(browser, ".box.found text").text == "su1-rail0"
    # its NICs, the wrong cable, and seven lines that it shares with leaves of its unit
    assert len(browser.find_elements("css selector", ".line.mine")) == 1 + 1 + 7
    assert len(browser.find_elements("css selector", ".comb.mine")) == 1
    one(browser, "#close").click()
    assert not one(browser, "#panel").is_displayed()
    box(browser, "gpu[001-032]").click()
    members = browser.find_elements("css selector", "#told li button")
    assert len(members) == 32
    members[2].click()
    assert one(browser, "#told h2").text == "gpu003"
    assert "eth8 su1-rail7" in one(browser, "#told").text
    assert "rocefab show cable INVENTORY gpu003 eth1" in one(browser, "#told").text


def test_all_of_it_without_a_mouse(browser: Any, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.keys import Keys

    shown(browser, pages["demo"])
    whole = view(browser)
    body = one(browser, "body")
    body.send_keys("+")
    assert view(browser)[2] < whole[2]
    body.send_keys(Keys.ARROW_RIGHT)
    assert view(browser)[0] > whole[0]
    body.send_keys("0")
    assert view(browser) == whole
    box(browser, "spine02").send_keys(Keys.ENTER)
    assert one(browser, "#told h2").text == "spine02"
    body.send_keys(Keys.ESCAPE)
    assert not one(browser, "#panel").is_displayed()


def test_drag_and_wheel_move_and_zoom(browser: Any, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

    shown(browser, pages["demo"])
    whole, svg = view(browser), one(browser, "#canvas > svg")
    ActionChains(browser).drag_and_drop_by_offset(svg, -100, 0).perform()
    moved = view(browser)
    assert moved[0] > whole[0] + 30
    assert not one(browser, "#panel").is_displayed()
    origin = ScrollOrigin.from_element(svg)
    ActionChains(browser).scroll_from_origin(origin, 0, -200).perform()
    assert view(browser)[2] < moved[2]


def test_names_stay_text(browser: Any, pages: dict[str, Path]) -> None:
    shown(browser, pages["odd names"])
    assert browser.title == HOSTILE
    one(browser, "#search").send_keys("img src\n")
    assert one(browser, "#told h2").text == HOSTILE
    assert browser.execute_script("return [document.images.length, window.hit ?? 0]") == [0, 0]
    assert browser.get_log("browser") == []
