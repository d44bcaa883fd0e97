"""Descriptions of ports: the device and port that one names, where that is clear."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.device_names import label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.exchange.plant import End

#: Signs between words; names have none of them. An underscore can be either.
_BETWEEN = re.compile(r"[\s,;|()\[\]<>\"'=]+")
#: A NIC as Linux names it (systemd.net-naming-scheme(7)), and names that administrators give.
_NIC = re.compile(
    r"(?:e(?:th|n[a-z])|ib|rdma|roce|gpu|nic|bond|mlx)[a-z0-9_.-]{0,11}", re.IGNORECASE
)
_HOST = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,61}[0-9]")
#: Short names of ports on the command lines of EOS and NX-OS.
_SHORT = re.compile(r"eth?([0-9][0-9/]*)")


def far_end(
    description: str, near: str, ports: Mapping[str, Mapping[str, str]], names: Mapping[str, str]
) -> End | None:
    """Return the end that a description names; its port is empty where that is not told.

    Parameters
    ----------
    near : str
        Device that has the description.
    ports : mapping
        Ports of each known device, by their names in lower case.
    names : mapping
        Known devices by their names in lower case.
    """
    words = list(_words(description, names))
    known = [(at, names[word.lower()]) for at, word in enumerate(words) if word.lower() in names]
    others = [(at, name) for at, name in known if name != near]
    if len({name for _, name in others}) == 1:
        at, device = others[-1]
        return device, _port(words, at, ports[device])
    return None if known else _host(description.split()) or _host(words)


def _host(words: list[str]) -> End | None:
    """Return the end of a text that consists of a host and its interface."""
    if len(words) != 2 or not (_HOST.fullmatch(words[0]) and _NIC.fullmatch(words[1])):  # noqa: PLR2004 - host and NIC
        return None
    return words[0], words[1]


def _words(text: str, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the words; ``spine01:Ethernet1`` is two, and a domain is cut from a known name."""
    for word in _BETWEEN.split(text):
        pieces = word.split("_")
        at = 0
        while at < len(pieces):
            ends = range(len(pieces), at, -1)
            joined = ("_".join(pieces[at:end]) for end in ends)
            found = next((one for one in joined if _name(one, names)), pieces[at])
            at += found.count("_") + 1
            yield from _parts(found, names)


def _name(word: str, names: Mapping[str, str]) -> str:
    """Return the known name that a word begins with, whole or without its domain."""
    whole = word.partition(":")[0]
    return next((one for one in (whole, label(whole)) if one.lower() in names), "")


def _parts(word: str, names: Mapping[str, str]) -> Iterator[str]:
    head, colon, rest = word.partition(":")
    if known := _name(word, names):
        yield from (part for part in (known, rest) if part)
    elif word:
        yield head if colon and not rest else word


def _port(words: list[str], at: int, ports: Mapping[str, str]) -> str:
    """Return the port behind the name of its device, or the only one in the text."""
    behind = _known(words[at + 1], ports) if at + 1 < len(words) else ""
    if behind:
        return behind
    others = {port for word in words if (port := _known(word, ports))}
    return others.pop() if len(others) == 1 else ""


def _known(word: str, ports: Mapping[str, str]) -> str:
    text = word.lower().strip(".:")
    short = _SHORT.fullmatch(text)
    return ports.get(text) or (ports.get(f"ethernet{short[1]}", "") if short else "")
