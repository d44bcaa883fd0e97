"""Times as systems print them: table of forms, and the form of FRR for any time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.observe.parsers.durations import frr_seconds, junos_seconds

DAY_S = 86_400


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("00:00:09", 9),
        ("23:59:59", DAY_S - 1),
        ("1d02h03m", DAY_S + 2 * 3600 + 3 * 60),
        ("05w6d10h", 41 * DAY_S + 10 * 3600),
        ("01y02w3d", (365 + 17) * DAY_S),
        ("never", None),
        ("", None),
        ("1d", DAY_S),
        ("1:02", None),
        ("12", None),
    ],
)
def test_frr(text: str, seconds: float | None) -> None:
    assert frr_seconds(text) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("42", 42),
        ("3:04", 184),
        ("5:23:37", 19_417),
        ("2d 5:23:37", 2 * DAY_S + 19_417),
        ("9w2d 5:23:37", 65 * DAY_S + 19_417),
        ("9w 5:23:37", 63 * DAY_S + 19_417),
        ("yesterday", None),
        ("", None),
        ("2d", None),
    ],
)
def test_junos(text: str, seconds: float | None) -> None:
    assert junos_seconds(text) == seconds


@given(st.integers(0, 7 * DAY_S - 1))
def test_frr_is_read_to_its_last_unit(seconds: int) -> None:
    """As ``peer_uptime`` prints it: with seconds on the first day, then with minutes."""
    days, rest = divmod(seconds, DAY_S)
    hours, minutes = rest // 3600, rest % 3600 // 60
    text = f"{days}d{hours:02}h{minutes:02}m" if days else f"{hours:02}:{minutes:02}:{rest % 60:02}"
    assert frr_seconds(text) == seconds - (seconds % 60 if days else 0)
