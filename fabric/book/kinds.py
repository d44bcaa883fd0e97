"""What the arguments of lines may look like: one checker per kind of argument.

A checker takes one word and returns it in the form in which the configuration shows it, or None
when the word is refused.

Known: the ranges and enumerations, from the schema of ``pyavd`` 6.4.0 (PyPI) and the captures of
``show running-config all`` in batfish/batfish ``arista_interface_show_run_all*``.
Assumed: seconds of the PFC watchdog are shown with two decimals (polling interval: three), as
pyavd renders them; interface names are taken only in full (``Ethernet1/1``, not ``Et1/1``).
"""

from __future__ import annotations

import ipaddress
import re
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Checker = Callable[[str], str | None]

PORT = r"Ethernet\d{1,3}(/\d{1,2}){0,2}"
_PATTERNS = {
    "word": r"\S+",
    "name": r"[A-Za-z0-9_.:@+-]+",
    "hash": r"[$./A-Za-z0-9=+-]+",
    "ethernet": PORT + r"(\.\d{1,4})?",
    "management": r"Management\d{1,2}(/\d)?",
    "loopback": r"Loopback\d{1,4}",
    "portchannel": r"Port-Channel\d{1,4}",
    "mac": r"([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}|([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}",
    "hex": r"0x[0-9a-fA-F]+",
    "ports": r"(Ethernet|Port-Channel|Vlan)\d[\d/,.-]*",
    "port": PORT + r"|Management\d{1,2}(/\d)?|Loopback\d{1,4}|Vlan\d{1,4}|Port-Channel\d{1,4}",
    "numbers": r"\d+([,-]\d+)*",
    "host": r"[A-Za-z0-9.:-]+",
    "file": r"(flash|file|usb1):\S+",
    "hms": r"\d{1,2}:\d{1,2}:\d{1,2}",
    "family": r"ipv4|ipv6|evpn",
}


_RANGE = re.compile(r"([A-Za-z]*)(-?\d+)-(-?\d+)")
#: The key of a row of another table.
_ROW = "@"


def number(low: int, high: int, prefix: str = "") -> Checker:
    """Return a checker of whole numbers within a range, behind a prefix."""

    def check(word: str) -> str | None:
        digits = word.removeprefix(prefix) if word.startswith(prefix) else ""
        plain = digits.removeprefix("-") if low < 0 else digits
        fits = plain.isascii() and plain.isdecimal() and low <= int(digits) <= high
        return f"{prefix}{int(digits)}" if fits else None

    return check


def seconds(low: str, high: str, places: int) -> Checker:
    """Return a checker of decimal seconds, shown with a fixed number of decimals."""

    def check(word: str) -> str | None:
        if not re.fullmatch(r"\d+(\.\d+)?", word):
            return None
        value = Decimal(word)
        return f"{value:.{places}f}" if Decimal(low) <= value <= Decimal(high) else None

    return check


def compiled(text: str) -> re.Pattern[str]:
    """Return a pattern.

    Raises
    ------
    ValueError
        When it is none.
    """
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no pattern: {error}") from None


def _pattern(text: str) -> Checker:
    pattern = compiled(text)

    def check(word: str) -> str | None:
        return word if pattern.fullmatch(word) else None

    return check


#: An IPv4 address with and without its length, as `ipaddress` takes and writes it; for speed.
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_PLAIN = {4: re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}(/(?:3[0-2]|[12]?\d))?", re.ASCII)}


def _address(version: int, *, masked: bool) -> Checker:
    plain = _PLAIN.get(version)

    @lru_cache(maxsize=1 << 13)
    def check(word: str) -> str | None:
        if masked is not ("/" in word):
            return None
        if plain and plain.fullmatch(word):
            return word
        try:
            parsed = ipaddress.ip_interface(word)
        except ValueError:
            return None
        return word.lower() if parsed.version == version else None

    return check


def _mask(word: str) -> str | None:
    try:
        return word if "." in word and ipaddress.IPv4Network(f"0.0.0.0/{word}") else None
    except ValueError:
        return None


def _any_of(*checkers: Checker) -> Checker:
    def check(word: str) -> str | None:
        return next((shown for one in checkers if (shown := one(word)) is not None), None)

    return check


def _mac(word: str) -> str | None:
    if not re.fullmatch(_PATTERNS["mac"], word):
        return None
    digits = re.sub(r"[:.]", "", word.lower())
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


_IP4 = _address(4, masked=False)
_IP6 = _address(6, masked=False)

CHECKERS: dict[str, Checker] = {
    **{kind: _pattern(text) for kind, text in _PATTERNS.items()},
    "svi": number(1, 4094, "Vlan"),
    "mac": _mac,
    "ip4": _IP4,
    "ip6": _IP6,
    "mask": _mask,
    "cidr4": _address(4, masked=True),
    "cidr6": _address(6, masked=True),
    "peer": _any_of(_IP4, _IP6, _pattern(r"(?!interface$|default$)[A-Za-z][A-Za-z0-9_.-]*")),
    "asn": _any_of(number(1, 4294967295), _pattern(r"\d{1,5}\.\d{1,5}")),
    "wdtime": seconds("0.01", "60", 2),
    "wdpoll": seconds("0.005", "30", 3),
}


def checker(kind: str) -> Checker:
    """Return the checker of a kind, of a range (``0-7``, ``Vlanif1-4094``) or of ``~PATTERN``.

    Raises
    ------
    ValueError
        When the kind is unknown, the range has nothing, or the pattern is none.
    """
    if kind.startswith("~"):
        return _pattern(kind[1:])
    span = _RANGE.fullmatch(kind)
    if span:
        low, high = int(span[2]), int(span[3])
        if low > high:
            raise ValueError(f"the range <{kind}> has nothing: write the lower end first")
        return number(low, high, span[1])
    kinds = [_plain(one) for one in kind.split("|")]
    return kinds[0] if len(kinds) == 1 else _any_of(*kinds)


def _plain(kind: str) -> Checker:
    if kind.startswith(_ROW):
        return CHECKERS["word"]
    if kind not in CHECKERS:
        raise ValueError(f"unknown kind of argument {kind!r}")
    return CHECKERS[kind]


def contains(kind: str, other: str) -> bool:
    """Tell whether a kind surely takes all words of another."""
    span, inner = _RANGE.fullmatch(kind), _RANGE.fullmatch(other)
    if span and inner:
        low, high = int(span[2]), int(span[3])
        return span[1] == inner[1] and low <= int(inner[2]) and int(inner[3]) <= high
    return kind in {"word", other}


def several(check: Checker) -> Checker:
    """Return a checker of values with commas between them."""

    def check_all(word: str) -> str | None:
        shown = [check(part) for part in word.split(",")]
        return None if None in shown else ",".join(filter(None, shown))

    return check_all


@cache
def referred(kind: str) -> tuple[str, ...]:
    """Return the tables that a kind refers to; none where it is of another sort."""
    tables = (one.removeprefix(_ROW) for one in kind.split("|"))
    return tuple(tables) if kind.startswith(_ROW) else ()


#: A number, whatever its range.
NUMBER = r"\d+"
#: What arguments look like whose checkers are no patterns, wherever they come from.
_LOOSE = {
    "svi": r"Vlan\d+",
    "mac": r"[0-9a-fA-F:.]+",
    **dict.fromkeys(("ip4", "mask"), r"[\d.]+"),
    "cidr4": r"[\d.]+/\d+",
    "ip6": r"[\da-fA-F.]*:[\da-fA-F:.]*",
    "cidr6": r"[\da-fA-F.]*:[\da-fA-F:.]*/\d+",
    "asn": r"[\d.]+",
    **dict.fromkeys(("name", "host", "hash", "word", "file"), r"\S+"),
}


def is_kind(text: str) -> bool:
    """Tell whether a text names an argument: a kind, several, a range or a pattern."""
    plain = text.startswith("~") or bool(_RANGE.fullmatch(text))
    kinds = text.split("|")
    return plain or bool(referred(text)) or all(one in CHECKERS for one in kinds)


def loose(kind: str) -> str:
    """Return a pattern of a kind without its limits, for lines that any release may have."""
    if kind.startswith("~"):
        return kind[1:]
    span = _RANGE.fullmatch(kind)
    if span:
        return f"{span[1]}{'-?' * span[2].startswith('-')}{NUMBER}"
    return "|".join(_LOOSE.get(one) or _PATTERNS.get(one, r"\S+") for one in kind.split("|"))


def expand_numbers(word: str, low: int, high: int) -> list[int] | None:
    """Read ``101,105-107`` as numbers within a range; None when it is not such a list."""
    numbers: list[int] = []
    for part in word.split(","):
        span = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if not span:
            return None
        first, last = int(span[1]), int(span[2] or span[1])
        if not low <= first <= last <= high:
            return None
        numbers += range(first, last + 1)
    return numbers
