"""Outputs that people keep one after the other in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe.parsers import titled

SAMPLES = Path(__file__).parent / "samples" / "sonic"
NAMES = (
    "group_watermarks",
    "group_shared_watermarks",
    "pool_watermarks",
    "headroom_pool_watermarks",
)


def sample(name: str) -> str:
    return (SAMPLES / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("between", ["\n", "admin@su1-rail0:~$ show clock\nTue Nov 24\n", ""])
def test_each_output_by_its_title(between: str) -> None:
    log = between.join(sample(name) for name in NAMES)
    assert titled("sonic", f"Last login: Tue\n{log}") == {name: sample(name) for name in NAMES}
    assert titled("esonic", log) == {name: sample(name) for name in NAMES}


def test_of_two_the_last_counts() -> None:
    """Someone has read them again."""
    first = sample("pool_watermarks").replace("812160", "1")
    log = f"{first}\n{sample('pool_watermarks')}"
    assert titled("sonic", log) == {"pool_watermarks": sample("pool_watermarks")}


def test_a_system_without_titles() -> None:
    assert titled("eos", sample("pool_watermarks")) == {}
