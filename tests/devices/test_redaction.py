"""One known secret leaves a message; a short one does not take the message with it."""

from __future__ import annotations

import pytest

from fabric.devices.redaction import without


@pytest.mark.parametrize(
    ("text", "secret", "left"),
    [
        ("max retries exceeded with url", "x", "max retries exceeded with url"),
        ("Token x is invalid", "x", "Token *** is invalid"),
        ("Token a.b is invalid, not aab", "a.b", "Token *** is invalid, not aab"),
        ("Token 0123456789abcdef0123 in u0123456789abcdef0123v", "0123456789abcdef0123",
         "Token *** in u***v"),
        ("nothing", "", "nothing"),
    ],
)  # fmt: skip
@pytest.mark.fault(22)
def test_a_secret_leaves_a_message(text: str, secret: str, left: str) -> None:
    assert without(text, secret) == left
