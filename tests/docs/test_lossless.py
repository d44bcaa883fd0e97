"""docs/lossless.md: every block is what the code gives, and a calculator finds the same numbers."""

from __future__ import annotations

import ast
import math
import operator
import re
from pathlib import Path

import pytest

from fabric.platforms.asic_catalogue import asic
from fabric.qos.dcqcn.presets import CONNECTX
from fabric.qos.dcqcn.recommend import KMAX_BYTES_PER_GBPS, MARGIN, RESERVE
from fabric.qos.headroom.mlx5 import DEFAULT_CABLE_M, MAX_TOLD_CABLE_M
from fabric.qos.path import HOP_NS
from fabric.qos.watchdog import DETECTION_MARGIN, MAX_PAUSE_QUANTA
from fabric.validate.rules.buffers import USUAL_RATIO
from tests.docs import (  # noqa: F401 - register their blocks
    lossless_classes,
    lossless_ecn,
    lossless_paths,
)
from tests.docs.blocks import BLOCK, blocks, judge
from tests.docs.lossless import figures

PAGE = Path(__file__).parents[2] / "docs" / "lossless.md"
FENCE = re.compile(r"^```calculator\n(.*?)^```", re.MULTILINE | re.DOTALL)
LARGE = re.compile(r"\d{1,3}(?:,\d{3})+")


def large_numbers(text: str) -> set[str]:
    return set(LARGE.findall(text))


@pytest.mark.parametrize("name", figures)
def test_block_is_what_the_code_gives(name: str, update_golden: bool) -> None:
    judge(PAGE, name, figures[name](), update=update_golden)


def test_every_block_has_a_function_and_every_marker_is_closed() -> None:
    text = PAGE.read_text()
    assert set(blocks(PAGE)) == set(figures)
    assert text.count("<!-- figures: ") == text.count("<!-- end of figures -->") == len(figures)


def test_large_numbers_of_the_prose_stand_in_a_block() -> None:
    """A number that the text repeats cannot drift away from the one that the code gives."""
    prose = large_numbers(BLOCK.sub("", PAGE.read_text()))
    known = large_numbers("\n".join(blocks(PAGE).values()))
    assert len(prose) > 20
    assert prose - known == set()


def calculations() -> list[str]:
    lines = "".join(FENCE.findall(PAGE.read_text())).splitlines()
    return [line.strip() for line in lines if line.strip()]


def calculated(text: str) -> float:
    """Return the value of numbers, brackets and + - x / as they stand in the page."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", text).replace(" x ", " * ")
    return value_of(ast.parse(plain.strip(), mode="eval").body)


def value_of(node: ast.expr) -> float:
    signs = {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
    }
    if isinstance(node, ast.BinOp):
        return signs[type(node.op)](value_of(node.left), value_of(node.right))
    assert isinstance(node, ast.Constant), ast.dump(node)
    return float(node.value)


def test_calculator_lines_are_right(subtests: pytest.Subtests) -> None:
    """``name: a + b x c = result unit``: both sides agree to the last digit that is printed."""
    lines = calculations()
    assert lines
    for line in lines:
        with subtests.test(line):
            _, _, sum_ = line.rpartition(": ")
            left, right = sum_.split(" = ")
            result = re.match(r"[\d.,]*\d", right)
            assert result
            near = 0.51 * 10 ** -len(result[0].partition(".")[2])
            assert calculated(left) == pytest.approx(calculated(result[0]), abs=near)


def test_constants_that_the_prose_names() -> None:
    """Figures that the code keeps as constants, in the words of the page."""
    spectrum = asic("spectrum-4")
    step = spectrum.integer("ecn_quantum_bytes", unconfirmed=True)
    words = [
        f"{DEFAULT_CABLE_M} m by default; {MAX_TOLD_CABLE_M} m",
        f"{HOP_NS:g} ns for each hop",
        f"at most {MAX_PAUSE_QUANTA} quanta",
        "always 4791",
        f"a ratio above {USUAL_RATIO:g} a warning",
        f"a gain margin of {MARGIN:g}",
        f"Kmax stays within {KMAX_BYTES_PER_GBPS // 1000} KB per Gb/s",
        f"doubling from {CONNECTX.reaction_point.additive_mbps} Mb/s",
        f"a CNP gap of {CONNECTX.notification_point.cnp_interval_us} us",
        f"round up to {step // spectrum.integer('cell_bytes')} cells",
    ]
    text = PAGE.read_text()
    assert [each for each in words if each not in text] == []
    assert (RESERVE, DETECTION_MARGIN) == (1.25, 2), "the page says a quarter, and twice"


# The worked example by hand: nothing below knows the product. 400 Gb/s are 50 bytes in a ns.
BYTES_PER_NS = 400 / 8
PORT_FRAME, LOSSLESS_FRAME = 9100, 9000 + 22
RESPONSE = 905 * 512 // 8
POOL, BUFFER = 52_161_690, 158_229_504
ROW_HOST, ROW_UPLINK, XON = 231_424, 283_648, 19_456


def up_to(value: float, step: int) -> int:
    return math.ceil(value / step) * step


def by_hand(cable_m: int) -> dict[str, float]:
    """Return floor, sum with response, worst packing and law of a 400G port of Spectrum-4."""
    floor = PORT_FRAME + 84 + 2 * cable_m * 5 * BYTES_PER_NS + LOSSLESS_FRAME
    wire = PORT_FRAME + 2 * cable_m * 1e9 / 1.98e8 * BYTES_PER_NS + 0.8 * 1024 + RESPONSE
    tile = 120 * BYTES_PER_NS
    return {
        "floor": floor,
        "with response": floor + RESPONSE,
        "packed": up_to(3 * (floor + RESPONSE), 192),
        "law": up_to(3 * (wire + tile) + LOSSLESS_FRAME, 1024),
    }


@pytest.mark.parametrize(("cable_m", "row"), [(5, ROW_HOST), (40, ROW_UPLINK)])
def test_headroom_of_the_example_by_hand(cable_m: int, row: int) -> None:
    found = by_hand(cable_m)
    page = blocks(PAGE)
    for name, figure in (("floor", "wire-sum"), ("with response", "wire-sum"), ("law", "law-sum")):
        assert f" {found[name]:,.0f} " in page[figure]
    left_ns = (row - found["floor"]) / BYTES_PER_NS
    figures_ = [found[name] for name in ("floor", "with response", "packed")]
    line = next(line for line in page["verdicts"].splitlines() if f" {cable_m} m " in line)
    cells = [cell.strip() for cell in line.split("|")]
    assert cells[2:6] == [f"{value:,.0f}" for value in (row, *figures_)]
    assert cells[7] == f"{left_ns:,.0f}"


def test_nic_of_the_example_by_hand() -> None:
    need = (301 + 216 * 5 // 100) * 400_000 // 1000 + 272 * 9000 // 100
    assert f"**{need:,}**" in blocks(PAGE)["nic"]
    assert f" {need + 9000:,} and a cell" in blocks(PAGE)["nic"]


def test_buffer_of_the_example_by_hand() -> None:
    headroom = 32 * ROW_HOST + 32 * ROW_UPLINK
    whole = 64 * XON + headroom + POOL
    for value in (64 * XON, headroom, whole, BUFFER - whole):
        assert f" {value:,} " in blocks(PAGE)["buffer"]


@pytest.mark.parametrize("users", [1, 2, 16])
def test_thresholds_of_the_example_by_hand(users: int) -> None:
    each = POOL / (1 + users)  # alpha 1
    lines = blocks(PAGE)["thresholds"].splitlines()
    assert any(line.endswith(f" {each:,.0f} | {users * each:,.0f} |") for line in lines)


@pytest.mark.parametrize(("ports", "classes"), [(1, 1), (2, 1), (63, 1), (63, 2)])
def test_ecn_order_of_the_example_by_hand(ports: int, classes: int) -> None:
    limit = POOL / (ports * (1 + classes))
    verdict = "yes" if limit > 150_000 else "no"
    assert f"| {ports} | {classes} | {limit:,.0f} | {verdict} |" in blocks(PAGE)["ecn-order"]


def test_path_of_the_example_by_hand() -> None:
    cables_ns = (5 + 40 + 40 + 5) * 5
    there = 4 * 1000 + cables_ns + 4 * (4096 + 82) / BYTES_PER_NS
    back = 4 * 1000 + cables_ns + 4 * 84 / BYTES_PER_NS
    for value in (there, back, there + back):
        assert f" {value:,.2f} " in blocks(PAGE)["path"]
    assert f" {(there + back) * BYTES_PER_NS:,.0f} " in blocks(PAGE)["path"]


def test_incast_before_the_first_notice_by_hand() -> None:
    loop_ns = 8000 + 2 * 450 + 4 * (4178 + 84) / BYTES_PER_NS + 4000
    for senders in (2, 16, 63):
        added, room = (senders - 1) * BYTES_PER_NS * loop_ns, senders * POOL / (1 + senders)
        assert f"| {senders} | {added:,.0f} | {room:,.0f} | ECN |" in blocks(PAGE)["race"]


def test_watchdog_of_the_example_by_hand() -> None:
    pause_us = 65_535 * 512 / 400e9 * 1e6
    drain_ms = BUFFER / BYTES_PER_NS / 1e6
    cells = f"| 400G | {pause_us:.1f} | {drain_ms:.2f} | {400 / drain_ms:.0f} | 600 "
    assert cells in blocks(PAGE)["watchdog"]
