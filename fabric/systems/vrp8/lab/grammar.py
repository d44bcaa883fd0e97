"""A strict grammar of VRP8 configuration: rules written as text, one line each.

For instance::

    qos queue <0-7> drr weight = <1-100>
    b:dcb pfc dscp-mapping enable slot 1
    peer <ip> as-number = <asn> ! peer <ip>
    interface <port> > port !-

``<kind>`` and ``<low-high>`` are arguments, ``a|b`` a choice of words, ``[ ... ]`` optional,
``<text>`` the rest of the line. What stands before ``=`` is the key: a line takes the place of the
one with the same key; without ``=`` the whole line is the key. ``undo`` takes the key; of ``?=``
with or without the value, of ``&=`` with it; ``!`` gives its words where they are others, ``!-``
says that there is none. ``> mode`` opens a view. ``a:`` and ``b:`` bind a rule to a family.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network

_RULE = re.compile(
    r"(?:(?P<family>[ab]):)?(?P<key>.+?)(?: (?P<kind>[?&]?=) (?P<value>.+?))?"
    r"(?: > (?P<opens>[\w-]+))?(?: !(?P<undo>-| .+))?"
)
_NUMBER = re.compile(r"(\d+)-(\d+)")
_PATTERNS = {
    "ip": r"\d+\.\d+\.\d+\.\d+",
    "mask": r"\d+\.\d+\.\d+\.\d+",
    "name": r"[^\s?]{1,64}",
    "text": r"[^?]+",
    "asn": r"\d+(?:\.\d+)?",
    "port": r"\d+GE\d+/\d+/\d+(?::\d)?",
    "aging": r"\d+",
    "queues": r"[0-7](?: (?:to )?[0-7])*",
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words with arguments; ``kinds`` are those of its groups."""

    pattern: re.Pattern[str]
    kinds: tuple[str, ...]

    def match(self, text: str) -> tuple[str, ...] | None:
        """Return the arguments of a text, None when it is another phrase."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        values = found.groups()
        pairs = zip(self.kinds, values, strict=True)
        return values if all(_valid(kind, value) for kind, value in pairs) else None


@dataclass(frozen=True, slots=True)
class Rule:
    """One line that a view knows."""

    rank: int
    family: str
    line: Phrase
    key: Phrase
    undo: tuple[Phrase, ...]
    opens: str
    valued: bool


@dataclass(frozen=True, slots=True)
class Matched:
    """A line that fits a rule: its key, and the arguments in the key."""

    rule: Rule
    line: str
    key: str
    arguments: tuple[str, ...]


def _valid(kind: str, value: str | None) -> bool:
    number = _NUMBER.fullmatch(kind)
    if value is None:
        return True
    if number:
        return int(number[1]) <= int(value) <= int(number[2])
    if kind == "aging":
        return value == "0" or 60 <= int(value) <= 1_000_000  # noqa: PLR2004
    try:
        if kind == "ip":
            IPv4Address(value)
        elif kind == "mask":
            IPv4Network(f"0.0.0.0/{value}")
    except (AddressValueError, ValueError):
        return False
    return True


def phrase(text: str) -> Phrase:
    """Return a phrase that is written in the language of the rules."""
    kinds: list[str] = []

    def argument(found: re.Match[str]) -> str:
        kinds.append(found[1])
        return f"({_PATTERNS.get(found[1], r'[0-9]+')})"

    source = ""
    for word in text.split():
        if word == "[":
            source += "(?:"
        elif word == "]":
            source += ")?"
        elif word == "...":
            source += "(?: .+)?"
        else:
            choice = "|".join(
                re.sub(r"<([^>]+)>", argument, re.sub(r"[.+*()]", r"\\\g<0>", one))
                for one in word.split("|")
            )
            source += f" (?:{choice})" if "|" in word else f" {choice}"
    return Phrase(re.compile(source.strip()), tuple(kinds))


def rules(text: str) -> tuple[Rule, ...]:
    """Return the rules of a view."""
    found = []
    for rank, line in enumerate(line for line in text.splitlines() if line.strip()):
        parts = _RULE.fullmatch(line.strip())
        if parts is None:
            message = f"not a rule: {line!r}"
            raise ValueError(message)
        key, value = parts["key"], parts["value"]
        whole = f"{key} {value}" if value else key
        found.append(
            Rule(
                rank=rank,
                family=parts["family"] or "",
                line=phrase(whole),
                key=phrase(f"{key} ..."),
                undo=_undo(parts, key, whole),
                opens=parts["opens"] or "",
                valued=bool(value),
            )
        )
    return tuple(found)


def _undo(parts: re.Match[str], key: str, whole: str) -> tuple[Phrase, ...]:
    own, kind = parts["undo"], parts["kind"]
    if own == "-":
        return ()
    if own:
        return (phrase(own.strip()),)
    forms = {None: (whole,), "=": (key,), "?=": (key, whole), "&=": (whole,)}[kind]
    return tuple(phrase(form) for form in forms)


def match(known: tuple[Rule, ...], family: str, line: str) -> Matched | None:
    """Return how a line fits the rules of a view, None when it does not."""
    for rule in known:
        if rule.family in ("", family) and rule.line.match(line) is not None:
            arguments = rule.key.match(line) or ()
            return Matched(rule, line, _key_text(rule, line), arguments)
    return None


def _key_text(rule: Rule, line: str) -> str:
    """Return the part of a line that its rule has before the value."""
    words = line.split(" ") if rule.valued else []
    for count in range(1, len(words) + 1):
        head = " ".join(words[:count])
        if rule.key.match(head) is not None:
            return f"{rule.rank}:{head}"
    return f"{rule.rank}:{line}"
