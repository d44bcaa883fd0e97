"""Uptime of systems with a Linux shell."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.linux import uptime


def test_name_and_seconds() -> None:
    seen = uptime("leaf01\n350735.47 234388.90\n")
    assert (seen.hostname, seen.uptime_s) == ("leaf01", 350735.47)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "leaf01\n",
        "leaf01\n350735.47\n",
        "350735.47 234388.90\n",
        "leaf01\n350735.47 234388.90",
        "leaf01\n-5.00 1.00\n",
        "leaf01\nnan nan\n",
        "leaf01\ncat: /proc/uptime: Permission denied\n",
        "\x1b[1mleaf01\n350735.47 234388.90\n",
        "leaf01\n" + "9" * 400 + ".00 1.00\n",
    ],
)
def test_what_is_none_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        uptime(text)


@given(st.text())
def test_any_text_is_read_or_unreadable(text: str) -> None:
    with suppress(UnreadableError):
        assert (uptime(text).uptime_s or 0) >= 0
