"""diff: no change after which PFC pauses before ECN marks is harmless, whatever leads there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.report.diffs import INVENTORY, compared, edited

if TYPE_CHECKING:
    from pathlib import Path

_ECN = "ecn: {kmin_bytes: 150000, kmax_bytes: 1500000, pmax_percent: 100}"
_KMAX = "ecn: {{kmin_bytes: 150000, kmax_bytes: {}, pmax_percent: 100}}"
_KMIN = "ecn: {{kmin_bytes: {}, kmax_bytes: 30000000, pmax_percent: 100}}"
_MARKS = "PFC pauses before ECN marks on 16 ports (leaf)"
_ALL = "PFC pauses before ECN marks every packet on 16 ports (leaf)"
#: What stands for the line of ECN before and after, and what follows; a leaf pauses at 10,313,728.
CASES = {
    "Kmax": (_KMAX.format(9000000), _KMAX.format(11000000), [_ALL]),
    "Kmin": (_KMIN.format(9000000), _KMIN.format(11000000), [_MARKS]),
    "a lower pause threshold": (
        _KMAX.format(9000000),
        f"dynamic_th: -2\n  {_KMAX.format(9000000)}",
        [_ALL],
    ),
    "Kmax below it": (_KMAX.format(9000000), _KMAX.format(10000000), []),
    "Kmax that was above it": (_KMAX.format(11000000), _KMAX.format(12000000), []),
    "Kmax that falls below it": (_KMAX.format(11000000), _KMAX.format(9000000), []),
}


@pytest.mark.parametrize(("old", "new", "words"), CASES.values(), ids=CASES)
def test_the_order_of_marks_and_pauses(
    tmp_path: Path, old: str, new: str, words: list[str]
) -> None:
    before = edited(tmp_path, (_ECN, old), name="before")
    result = compared(before, edited(tmp_path, (_ECN, new)))
    follows = [one.words for one in result.consequences if one.words.startswith("PFC pauses")]
    assert follows == words
    assert (result.summary.risk == "less protection") == bool(words)


def test_a_waiver_does_not_hide_it(tmp_path: Path) -> None:
    waived = "waivers: [{rule: QOS002, reason: x, until: '2099-01-01'}]\ndesign:"
    before = edited(tmp_path, (_ECN, _KMAX.format(9000000)), name="before")
    after = edited(tmp_path, (_ECN, _KMAX.format(11000000)), ("design:", waived))
    assert compared(before, after).summary.risk == "less protection"


def test_a_fixed_level_of_the_switch(tmp_path: Path) -> None:
    """NX-OS pauses at the level of ``pause_buffer``, however full the buffer is."""
    level = "pause_buffer: {pause_threshold_bytes: 400000, resume_threshold_bytes: 80000}"
    models = (
        ("leaf: {sku: 7050DX4-32S}", "leaf: {sku: N9K-C9332D-GX2B}"),
        ("spine: {sku: 7050DX4-32S}", "spine: {sku: N9K-C9332D-GX2B}"),
        ("  ecn:", f"  {level}\n  ecn:"),
    )
    source = INVENTORY / "a100-pcie"
    below, above = ((*models, ("1500000", size)) for size in ("390000", "410000"))
    before = edited(tmp_path, *below, source=source, name="before")
    result = compared(before, edited(tmp_path, *above, source=source))
    assert result.summary.risk == "less protection"
