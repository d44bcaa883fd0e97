"""All of the page without a mouse."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judges.page.browser import every, focused, heading, keys, one, shown, size, tab_to
from tests.waiting import until


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
