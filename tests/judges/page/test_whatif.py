"""What if: what fails is clicked away, or is in the address."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from fabric.cli import main
from tests.judges.misplaced import MISPLACED
from tests.judges.page.browser import box, every, one, shown, size, text
from tests.serve.servers import served
from tests.topology.fabrics import INVENTORY
from tests.waiting import until


def test_what_fails_is_clicked_away(page: Any, site: Any) -> None:
    shown(page, site, "#/what-if?unit=su1")
    box(page, "spine01").click()
    until(lambda: "Traffic that moves" in text(page), "the answer is there")
    moved = "each uplink that is left carries up to 1.14 times its traffic"
    until(lambda: moved in text(page), "the traffic is counted")
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


def test_an_error_is_in_sight_on_a_small_screen(page: Any, site: Any) -> None:
    size(page, 390, 640)
    shown(page, site, "#/what-if?fail=switch:nothing")
    until(lambda: every(page, ".problem"), "what is wrong is told")
    assert "What fails: there is no switch 'nothing'" in one(page, ".problem").text
    top = page.execute_script(
        "return document.querySelector('.problem').getBoundingClientRect().top"
    )
    assert 0 <= top < 640


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
    "a spine of three": ("switch:spine01", "spine[01-03]", "1 of 3 fails", {"8 of 24 fail"}),
    "two of three": (
        "switch:spine01,switch:spine02",
        *("spine[01-03]", "2 of 3 fail", {"16 of 24 fail"}),
    ),
    "a range": ("switch:spine[01,03]", "spine[01-03]", "2 of 3 fail", {"16 of 24 fail"}),
    "all of a group": (
        "switch:spine01,switch:spine02,switch:spine03",
        *("spine[01-03]", "fails", set()),
    ),
    "a name of a group": ("su1-rail0", "su1-rail[0-7]", "1 of 8 fails", _LEAF_SHARES),
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
    assert _apart([item.rect for item in every(page, "g.line.some .share")])


def _apart(rects: list[dict[str, float]]) -> bool:
    """Tell whether no two of these overlap."""
    return not any(
        abs(one["x"] - other["x"]) < (one["width"] + other["width"]) / 2
        and abs(one["y"] - other["y"]) < (one["height"] + other["height"]) / 2
        for one, other in combinations(rects, 2)
    )


def test_a_group_that_fails_stays_whole_in_the_address(page: Any, groups: Any) -> None:
    shown(page, groups, "#/what-if?fail=group:su1-rail0")
    until(lambda: every(page, ".answer .card"), "the answer is there")
    assert box(page, "su1-rail[0-7]").get_attribute("aria-label").endswith(": fails")
    assert page.current_url.endswith("#/what-if?fail=group%3Asu1-rail0")


def test_texts_of_two_switches_that_fail_keep_apart(page: Any, groups: Any) -> None:
    shown(page, groups, "#/what-if?fail=switch:spine01,switch:su1-rail0,switch:su2-rail0")
    until(lambda: every(page, ".answer .card"), "the answer is there")
    assert len(every(page, "g.line.some .share")) > 4
    texts = every(page, "g.line.some .share")
    assert _apart([item.rect for item in texts]), [(item.text, item.rect) for item in texts]


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
