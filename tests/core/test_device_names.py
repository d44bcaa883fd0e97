"""Names of devices as devices print them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.device_names import DeviceNames, is_same_device, label

NAMES = ("leaf1", "leaf2.dc1", "leaf3.dc1", "leaf3.dc2", "Leaf4", "leaf5", "leaf5.dc1")


@pytest.mark.parametrize(
    ("printed", "device"),
    [
        ("leaf1", "leaf1"),
        ("LEAF1", "leaf1"),
        ("leaf1.dc1.example", "leaf1"),
        ("leaf2", "leaf2.dc1"),
        ("leaf2.dc1", "leaf2.dc1"),
        ("leaf2.DC1", "leaf2.dc1"),
        ("leaf2.dc9", None),
        ("leaf3", None),
        ("leaf3.dc2", "leaf3.dc2"),
        ("leaf4.dc1", "Leaf4"),
        ("leaf5", "leaf5"),
        ("leaf5.dc1", "leaf5.dc1"),
        ("leaf5.dc2", "leaf5"),
        ("leaf", None),
        ("", None),
    ],
)
def test_a_printed_name_means_one_device_or_none(printed: str, device: str | None) -> None:
    assert DeviceNames(NAMES).match(printed) == device


def test_a_device_has_other_names() -> None:
    names = DeviceNames(("leaf1",))
    names.add("switch-7.dc1", "leaf1")
    assert [names.match(one) for one in ("switch-7", "switch-7.dc1", "switch-7.dc2")] == [
        "leaf1",
        "leaf1",
        None,
    ]


@pytest.mark.parametrize(
    ("printed", "name", "same"),
    [
        ("leaf1", "leaf1", True),
        ("Leaf1.dc1", "leaf1", True),
        ("leaf1", "leaf1.dc1", True),
        ("leaf1.dc1", "leaf1.DC1", True),
        ("leaf1.dc1", "leaf1.dc2", False),
        ("leaf2", "leaf1", False),
        ("", "leaf1", False),
    ],
)
def test_a_domain_can_be_missing_on_one_side(printed: str, name: str, same: bool) -> None:
    assert is_same_device(printed, name) is same


NAME = st.from_regex(r"[ab][12](\.[cd]){0,2}", fullmatch=True)


@given(st.sets(NAME, max_size=6), NAME)
def test_a_match_is_the_same_device_and_the_whole_name_wins(names: set[str], printed: str) -> None:
    device = DeviceNames(sorted(names)).match(printed)
    if printed in names:
        assert device == printed
    elif device is not None:
        assert is_same_device(printed, device)
    else:
        candidates = {name for name in names if is_same_device(printed, name)}
        assert label(printed) not in names
        assert len(candidates) != 1
