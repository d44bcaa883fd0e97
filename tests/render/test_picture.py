"""Pictures as SVG, PNG and page: well-formed, the same every time, and names stay data."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from html import unescape
from itertools import combinations
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from fabric.render.canvas import CHARACTER_EM, RAILS, STROKES, TENANTS
from fabric.render.picture_page import page
from fabric.render.picture_png import png
from fabric.render.picture_svg import svg
from fabric.topology.clos import clos
from fabric.topology.drawing import CableState, Picture, cable_states
from fabric.topology.drawing_layout import picture
from fabric.topology.tenants import UNASSIGNED
from tests.topology.fabrics import INVENTORY, example
from tests.topology.test_drawing import SIZES, drawn

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</script><img src=x onerror=alert(1)>&\"'{{data}}{{title}}]]>"


@pytest.fixture(scope="module")
def demo() -> Picture:
    made = example("demo")
    network = clos(made)
    marks = {"wrong": {("su1-rail0", "Ethernet128")}, "failing": {("su2-rail1", "Ethernet0")}}
    return picture(made, network, cable_states(made, network, **marks))


def hostile(plain: Picture) -> Picture:
    first = replace(plain.boxes[0], label=HOSTILE, members=(HOSTILE,))
    return replace(plain, title=HOSTILE, boxes=(first, *plain.boxes[1:]))


def data(result: Picture) -> dict[str, object]:
    names = [name for box in result.boxes for name in box.members]
    told = {"facts": [["role", HOSTILE]], "ports": [], "policy": 0}
    return {"devices": dict.fromkeys(names, told), "policies": [[]], "portless": ""}


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_svg_has_every_box_line_and_state(demo: Picture) -> None:
    root = ET.fromstring(svg(demo))
    kinds = [element.get("class", "") for element in root.iter(f"{SVG}g")]
    assert sum(kind.startswith("box") for kind in kinds) == len(demo.boxes) == 10
    assert sum(kind.startswith("line") for kind in kinds) == len(demo.lines) == 16
    assert kinds.count("line wrong") == kinds.count("line lossless") == 1
    shown = texts(root)
    assert {"demo", "su1-rail0", "rail 0", "su1", "planned: 14"} <= {*shown}
    assert {"wrong cable: 1 (15 not read)", "down or missing: 0 (15 not read)"} <= {*shown}
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert "su1-rail0 - spine01: 1 cable of 400G, 40 m: 1 wrong cable" in titles


def test_the_same_picture_is_the_same_bytes(demo: Picture) -> None:
    assert svg(demo) == svg(demo)
    assert page(demo, data(demo)) == page(demo, data(demo))
    small = replace(demo, boxes=demo.boxes[:2], lines=())
    assert png(small) == png(small)


def test_states_differ_without_colour() -> None:
    """By the dashes, and by a mark on all but the plain one."""
    assert {*CableState} - {*STROKES} == {CableState.DEGRADED}
    assert len({stroke.dash for stroke in STROKES.values()}) == len(STROKES)
    assert len({stroke.mark for stroke in STROKES.values()}) == len(STROKES)


@pytest.mark.parametrize("name", SIZES)
def test_text_has_11_px_in_a_small_window(name: str) -> None:
    """In a window of 1280 by 800: an SVG has no size of its own, and fills it."""
    root = ET.fromstring(svg(drawn(SIZES[name]())))
    assert not {"width", "height"} & {*root.attrib}
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])
    fonts = [float(text.attrib["font-size"]) for text in root.iter(f"{SVG}text")]
    assert min(fonts) * min(1280 / width, 800 / height) >= 11
    for text in root.iter(f"{SVG}text"):
        wide = len(text.text or "") * CHARACTER_EM * float(text.attrib["font-size"])
        middle = text.attrib["text-anchor"] == "middle"
        assert float(text.attrib["x"]) + wide / (2 if middle else 1) <= width


def strokes(root: ET.Element, kind: str) -> list[str]:
    return [
        line.attrib["stroke"]
        for group in root.iter(f"{SVG}g")
        if group.get("class", "").startswith(kind)
        for line in group.iter(f"{SVG}line")
    ]


def test_cables_have_the_colour_of_their_rail() -> None:
    root = ET.fromstring(svg(drawn(example("rail-512"))))
    colours = strokes(root, "line")
    grey = STROKES[CableState.PLANNED].colour
    assert len(colours) == 32
    assert colours.count(grey) == 16
    assert {*colours} == {grey, *RAILS}
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert "su1-rail[0-7] - spine01: 32 cables of 400G, 40 m: 32 planned" in titles


@pytest.mark.parametrize(
    ("longer", "told"),
    [
        ([], "32 cables of 400G, 30 m: 32"),
        ([150], "32 cables of 400G, 30-150 m, 1 of 150 m: 32"),
        ([40, 150, 150], "32 cables of 400G, 30-150 m, 2 of 150 m: 32"),
    ],
    ids=["alike", "a longer one", "several longer ones"],
)
def test_a_line_tells_that_some_of_its_cables_are_longer(longer: list[int], told: str) -> None:
    built = example("rail-512")
    spine01 = np.flatnonzero(built.uplinks.upper == built.switch_row["spine01"])
    cable_m = np.full_like(built.uplinks.cable_m, 30)
    cable_m[spine01[: len(longer)]] = longer
    drawing = drawn(replace(built, uplinks=replace(built.uplinks, cable_m=cable_m)))
    titles = [element.text for element in ET.fromstring(svg(drawing)).iter(f"{SVG}title")]
    assert f"su1-rail[0-7] - spine01: {told} planned" in titles
    assert sum(count for line in drawing.lines for _, count in line.lengths_m) == sum(
        line.cables for line in drawing.lines
    )


def test_the_legend_says_what_a_comb_is(demo: Picture) -> None:
    words = "lines at a bar connect each leaf under its teeth"
    combed = example("rail-512")
    network = clos(combed)
    root = ET.fromstring(svg(picture(combed, network, cable_states(combed, network))))
    assert words in texts(root)
    assert words not in texts(ET.fromstring(svg(demo)))


def test_a_state_covers_the_colour_of_the_rail(demo: Picture) -> None:
    colours = strokes(ET.fromstring(svg(demo)), "line wrong")
    assert {*colours} == {STROKES[CableState.WRONG].colour}


def borders(root: ET.Element) -> dict[str, tuple[str, str]]:
    """Return the border of each box by its title: colour and dashes."""
    return {
        group.findtext(f"{SVG}title") or "": (
            rect.attrib["stroke"],
            rect.get("stroke-dasharray", ""),
        )
        for group in root.iter(f"{SVG}g")
        if group.get("class", "").startswith("box")
        for rect in [group.findall(f"{SVG}rect")[-1]]
    }


def test_hosts_and_leaves_of_a_tenant_are_marked_and_named() -> None:
    root = ET.fromstring(svg(drawn(example("tenants"))))
    found = borders(root)
    assert found["gpu001: 2 NICs, tenant red"] == (TENANTS[0], "")
    assert found["gpu002: 2 NICs, tenant blue"] == (TENANTS[1], "")
    assert found["gpu004: 2 NICs, tenant blue, NICs of no tenant"] == (TENANTS[1], "2 2")
    assert found["su2-rail1: rail 1, tenant red, NICs of no tenant"] == (TENANTS[0], "2 2")
    assert found["su1-rail0: rail 0, tenant red, tenant blue"][1] == "6 2"
    assert found["spine01: AS 65100"][0] not in TENANTS
    keys = {f"tenant {name}{more}" for name in ("red", "blue") for more in ("", " in part")}
    assert {*keys, "several tenants"} <= {*texts(root)}
    assert not any("tenant" in text for text in texts(ET.fromstring(svg(drawn(example("demo"))))))


def test_a_group_with_hosts_in_quarantine_is_not_drawn_as_its_tenant() -> None:
    """Blue has 26 of 32 hosts of su2; the others are in quarantine."""
    tenants = example("tenants").tenants
    assert tenants is not None
    built = example("rail-512")
    owner = np.where(built.nics.host < 32, 0, np.where(built.nics.host < 58, 1, UNASSIGNED))
    root = ET.fromstring(svg(drawn(replace(built, tenants=replace(tenants, of_nic=owner)))))
    found = borders(root)
    assert found["gpu[001-032]: 32 hosts, 256 NICs, tenant red"] == (TENANTS[0], "")
    told = "gpu[033-064]: 32 hosts, 256 NICs, tenant blue, NICs of no tenant"
    assert found[told] == (TENANTS[1], "2 2")
    assert "tenant blue in part" in texts(root)
    assert "some cables of a line in quarantine" in texts(root)
    titles = {one.findtext(f"{SVG}title"): one for one in root.iter(f"{SVG}g")}
    apart = titles[
        "gpu[033-064] - su2-rail0: 32 cables of 400G, 5 m: 26 planned, 6 in quarantine, as planned"
    ]
    assert apart[1].get("stroke-dasharray") == "14 3"


def test_tenants_without_room_are_counted(demo: Picture) -> None:
    """A key for each colour, with a few names; those that do not fit are counted."""
    names = tuple(f"customer-{number:02}-of-the-building" for number in range(12))
    boxes = tuple(
        replace(box, tenants=((names[number % 12], 1),))
        for number, box in enumerate(demo.boxes * 2)
    )
    shown = texts(ET.fromstring(svg(replace(demo, boxes=boxes, tenants=names))))
    keys = [text for text in shown if "customer" in text]
    assert keys[0] == f"tenants {names[0]}, {names[8]}"
    assert f"and {8 - len(keys)} more" in shown


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


_EYE = np.eye(3)


def lab(colour: str, seen: np.ndarray = _EYE) -> tuple[float, ...]:
    """Return a colour in OKLab, in which distances are those that people see."""
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return tuple(_OKLAB @ np.cbrt(_CONES @ np.clip(seen @ linear, 0, 1)))


#: https://bottosson.github.io/posts/oklab/
_CONES = np.array([
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
])
_OKLAB = np.array([
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
])


def schemes() -> dict[str, dict[str, str]]:
    """Return the colours of the page by their names, light and dark."""
    both = (
        (INVENTORY.parent / "fabric/serve/page/style.css")
        .read_text()
        .split("prefers-color-scheme: dark")
    )
    return {
        scheme: dict(re.findall(r"--([a-z]+\d?): (#[0-9a-f]{6});", part))
        for scheme, part in zip(("light", "dark"), both, strict=True)
    }


def test_colours_of_rails_and_tenants_differ_and_can_be_seen() -> None:
    states = [stroke.colour for stroke in STROKES.values()]
    assert len({*RAILS, *TENANTS, *states}) == 16 + len(STROKES)
    for colour in (*RAILS, *TENANTS):
        assert 1.05 / (luminance(colour) + 0.05) >= 3
    light = schemes()["light"]
    assert [light[f"rail{number}"] for number in range(8)] == [*RAILS]
    assert [light[f"tenant{number}"] for number in range(8)] == [*TENANTS]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tenants_of_the_page_have_neither_colours_of_rails_nor_of_load(scheme: str) -> None:
    """By their distance in OKLab, and by the contrast to what is at both sides of a border."""
    colours = schemes()[scheme]
    others = [colours[name] for name in colours if re.fullmatch(r"(rail|step)\d|lit", name)]
    assert len(others) == 14
    for number in range(8):
        mine = colours[f"tenant{number}"]
        assert min(math.dist(lab(mine), lab(other)) for other in others) >= 0.07
        for ground in ("page", "host", "leaf"):
            light, dark = sorted((luminance(mine), luminance(colours[ground])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 3, (mine, ground)


#: Colours of the page for what is well and what is not.
_VERDICTS = ("good", "bad", "warn", "wrong")
#: What people see who lack one kind of cones (Machado, Oliveira and Fernandes, IEEE Transactions on
#: Visualization and Computer Graphics 15, 2009, severity 1): without red, green and blue ones.
_SEEN = {
    "all cones": _EYE,
    "protanopia": np.array([
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]),
    "deuteranopia": np.array([
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]),
    "tritanopia": np.array([
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ]),
}


@pytest.mark.parametrize("seen", _SEEN)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tenants_are_told_apart_by_everyone_and_look_like_no_verdict(
    scheme: str, seen: str
) -> None:
    colours = schemes()[scheme]
    tenants = [colours[f"tenant{number}"] for number in range(8)]
    for mine, other in combinations(tenants, 2):
        distance = math.dist(lab(mine, _SEEN[seen]), lab(other, _SEEN[seen]))
        assert distance >= 0.1, (mine, other)
    for mine in tenants:
        assert min(math.dist(lab(mine), lab(colours[word])) for word in _VERDICTS) >= 0.1, mine


def test_png_has_the_size_of_the_picture(demo: Picture) -> None:
    pixels = png(demo)
    assert pixels.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(pixels[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == pytest.approx((2 * demo.width, 2 * demo.height), abs=2)


def test_a_huge_picture_stays_a_file_that_opens(demo: Picture) -> None:
    pixels = png(replace(demo, width=40_000.0))
    assert int.from_bytes(pixels[16:20], "big") <= 16_000


def test_hostile_names_are_text(demo: Picture) -> None:
    result = hostile(demo)
    root = ET.fromstring(svg(result))
    assert texts(root)[0] == HOSTILE
    assert HOSTILE in texts(root)[1:]
    text = page(result, data(result))
    assert text.count("<script") == 2
    assert text.count("</script>") == 2
    assert "<img" not in text
    title = re.search(r"<title>(.*?)</title>", text)
    assert title
    assert unescape(title[1]) == HOSTILE
    held = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert held
    back = json.loads(held[1])
    assert back["boxes"][0]["members"] == [HOSTILE]
    assert back["devices"][HOSTILE]["facts"] == [["role", HOSTILE]]


def test_the_page_asks_the_network_for_nothing(demo: Picture) -> None:
    text = page(demo, data(demo))
    assert "default-src 'none'" in text
    known = {"http://www.w3.org/2000/svg"}
    assert {*re.findall(r"https?://[^\s\"'<>)]+", text)} <= known
    assert not re.findall(r"""(?:src|href)=["'](?!data:)""", text)
    assert "{{" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
