"""Changes of the content of a file, the same ones for the same seed."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

#: What is put into a file: what breaks readers of text, numbers, JSON, YAML and lists.
PIECES = (
    *(b"", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b"\r", b"\n", b"\t", b" ", b'"', b"'"),
    *(b"{", b"}", b"[", b"]", b"[" * 3000, b'{"a":' * 3000, b"- " * 3000, b"(" * 3000, b"\x1b[31m"),
    *(b"null", b"true", b"&a *a", b"*a", b"!!python/object:os.system", b"<<: ", b": ", b"#", b"!"),
    *(b"no ", b"undo ", b"set ", b"exit\n", b"ip ", b"10.0.0.1/33", b"::/129", b"fe80::1%eth0"),
    *("\u00e9\u202e\u2028".encode(), b"x" * 50_000, b" " * 50_000, b"../" * 20, b"%s%n{0}{{ 7 }}"),
    *(b"banner motd #\n", b"/*", b"*/", b"!\n", b"quit\n", b"1,2," * 10_000, b"1 to 2 " * 5_000),
)
#: What is put in the place of a number.
NUMBERS = (
    *(b"0", b"-1", b"1", b"3", b"64", b"1000", b"65536", b"4294967296", b"1.5", b"-0.0", b"0x1f"),
    *(b"9" * 19, b"9" * 30, b"9" * 400, b"9" * 5000, b"1e400", b"1e999", b"NaN", b"1_0", b""),
    *(b"1-99999999999", b"0-4095", b"1-4094,1-4094", b"1 to 99999999", b"[1-9999999]", b"1,2,3"),
    *(b"10000000000-10000000001", b"7-0"),
)
_DIGITS = re.compile(rb"\d+")
_WORD = re.compile(rb"[A-Za-z0-9]+")


def mutated(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Return a file after one to four changes; ``others`` are files that parts come from."""
    for _ in range(rng.randint(1, 4)):
        change = rng.choice(_CHANGES)
        content = change(content, rng, rng.choice(others))
    return content


def _replaced(content: bytes, rng: random.Random, _: bytes) -> bytes:
    start = rng.randint(0, len(content))
    return content[:start] + rng.choice(PIECES) + content[start + rng.randint(0, 12) :]


def _word(content: bytes, rng: random.Random, _: bytes) -> bytes:
    word = _WORD.search(content, rng.randint(0, len(content)))
    if word is None:
        return content
    return content[: word.start()] + rng.choice(PIECES) + content[word.end() :]


def _number(content: bytes, rng: random.Random, _: bytes) -> bytes:
    number = _DIGITS.search(content, rng.randint(0, len(content)))
    if number is None:
        return content
    return content[: number.start()] + rng.choice(NUMBERS) + content[number.end() :]


def _flipped(content: bytes, rng: random.Random, _: bytes) -> bytes:
    place = rng.randint(0, len(content))
    return content[:place] + bytes([rng.randrange(256)]) + content[place + 1 :]


def _cut(content: bytes, rng: random.Random, _: bytes) -> bytes:
    return content[: rng.randint(0, len(content))]


def _lines(content: bytes, rng: random.Random, _: bytes) -> bytes:
    """Leave some lines out, or have them twice, or elsewhere."""
    lines = content.splitlines(keepends=True) or [b""]
    start = rng.randrange(len(lines))
    part = lines[start : start + rng.randint(1, 20)]
    place = rng.randrange(len(lines))
    if rng.random() < 0.5:
        del lines[start : start + len(part)]
    lines[place:place] = part * rng.choice((0, 1, 2))
    return b"".join(lines)


def _spliced(content: bytes, rng: random.Random, other: bytes) -> bytes:
    start = rng.randint(0, len(other))
    place = rng.randint(0, len(content))
    return content[:place] + other[start : start + rng.randint(1, 2000)] + content[place:]


_CHANGES = (
    *(_replaced, _replaced, _word, _word, _number, _number, _number),
    *(_flipped, _cut, _lines, _spliced),
)
