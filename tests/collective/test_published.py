"""The interval holds what others have published, and the documentation shows each error."""

from __future__ import annotations

import statistics

import pytest

from fabric.collective.published import LEAST, PUBLISHED, USUAL, CollectiveKind, bus_gbyte_s
from tests.cli.runs import ROOT
from tests.collective.published_rows import ceiling, rows

SHARES = [one.gbyte_s / ceiling(one) for one in PUBLISHED if one.kind is CollectiveKind.ALL_REDUCE]


def test_the_usual_share_is_the_median_of_what_is_published() -> None:
    assert pytest.approx(statistics.median(SHARES), abs=0.02) == USUAL


def test_all_but_one_of_the_all_reduces_are_in_the_interval() -> None:
    outside = [share for share in SHARES if not LEAST[CollectiveKind.ALL_REDUCE] <= share <= 1]
    assert outside == [pytest.approx(0.765, abs=0.001)], "its maintainers call it low"


def test_the_documentation_shows_every_figure_with_its_error() -> None:
    text = (ROOT / "docs/bandwidth.md").read_text()
    assert [row for row in rows() if row not in text] == []


def test_an_all_to_all_of_two_hosts_has_twice_the_rate_of_a_gpu() -> None:
    # NVIDIA/nccl-tests issue 130: N / (N - 1) times the bandwidth of a GPU
    assert bus_gbyte_s(CollectiveKind.ALL_TO_ALL, 2, 1, 400) == pytest.approx(50.0)
    assert bus_gbyte_s(CollectiveKind.ALL_TO_ALL, 2, 8, 3200) == pytest.approx(100 * 15 / 16)
    assert bus_gbyte_s(CollectiveKind.ALL_TO_ALL, 1000, 8, 3200) == pytest.approx(50, rel=0.002)
