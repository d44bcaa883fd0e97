"""Values that a reading may hold, and text as lines and pairs; all else is refused."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING

from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


#: Linux include/uapi/linux/if.h: IFNAMSIZ 16, one of them ends the string.
_INTERFACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}")
#: rdma-core kernel-headers/rdma/ib_user_verbs.h: IB_DEVICE_NAME_MAX 64, one of them ends it.
_RDMA_DEVICE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}")
_PCI = re.compile(r"(?:([0-9A-Fa-f]{4,8}):)?([0-9A-Fa-f]{2}):([01][0-9A-Fa-f])\.([0-7])", re.ASCII)
_MAC = re.compile(r"[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?:(?::[0-9A-Fa-f]{2}){14})?")
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+:/-]{0,63}")
_NUMBER = re.compile(r"[0-9]{1,20}")
#: LLDP strings have at most 255 octets (IEEE 802.1AB-2016, clause 8.5). No sign that a shell reads.
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._:/+,=@-]{0,254}")
_SHOWN = 40
U64_MAX = 2**64 - 1


def _matched(pattern: re.Pattern[str], text: object, kind: str) -> str:
    if not isinstance(text, str) or not pattern.fullmatch(text):
        raise UnreadableError(f"{shown(text)} is not a {kind}")
    return text


def shown(text: object) -> str:
    """Return what may stand in a message: short, printable ASCII."""
    whole = ascii(text if not isinstance(text, str) else text[: _SHOWN + 1])
    return whole if len(whole) <= _SHOWN else f"{whole[:_SHOWN]}..."


def interface_name(text: object) -> str:
    """Return the name of a network device, or raise UnreadableError."""
    return _matched(_INTERFACE, text, "name of a network device")


def rdma_name(text: object) -> str:
    """Return the name of an RDMA device, or raise UnreadableError."""
    return _matched(_RDMA_DEVICE, text, "name of an RDMA device")


def word(text: object, kind: str) -> str:
    """Return a word without blanks (a driver, a version, a state), or raise UnreadableError."""
    return _matched(_WORD, text, kind)


def label(text: object, kind: str) -> str:
    """Return a name with blanks (a model, a system, a port of it), or raise UnreadableError."""
    return _matched(_LABEL, text, kind)


def choice(text: str, known: Collection[str], kind: str) -> str:
    """Return one of the known words, or raise UnreadableError."""
    if text not in known:
        raise UnreadableError(f"{shown(text)} is not a {kind}")
    return text


def pci_address(text: object) -> str:
    """Return a PCI address as ``0000:4b:00.0``, in lower case, or raise UnreadableError."""
    match = _PCI.fullmatch(text) if isinstance(text, str) else None
    if not match:
        raise UnreadableError(f"{shown(text)} is not a PCI address")
    domain, bus, slot, function = match.groups()
    return f"{int(domain or '0', 16):04x}:{bus}:{slot}.{function}".lower()


def mac_address(text: object) -> str:
    """Return a link-layer address of 6 or 20 bytes in lower case, or raise UnreadableError."""
    return _matched(_MAC, text, "link-layer address").lower()


def ip_address(text: object) -> str:
    """Return an IPv4 or IPv6 address as Python prints it, or raise UnreadableError."""
    try:
        return str(ipaddress.ip_address(text if isinstance(text, str) else ""))
    except ValueError:
        raise UnreadableError(f"{shown(text)} is not an IP address") from None


def ip_network(text: object) -> str:
    """Return ``address/length`` of a network or host, or raise UnreadableError."""
    try:
        return str(ipaddress.ip_network(text if isinstance(text, str) else "", strict=False))
    except ValueError:
        raise UnreadableError(f"{shown(text)} is not an IP network") from None


def number(text: str, kind: str, low: int = 0, high: int = U64_MAX) -> int:
    """Return a decimal number within its bounds, or raise UnreadableError."""
    value = int(text) if _NUMBER.fullmatch(text) and text.isascii() else -1
    if not low <= value <= high:
        raise UnreadableError(f"{shown(text)} is not a {kind}")
    return value


def whole_lines(text: str) -> list[str]:
    """Return the lines; every tool ends its last one.

    Raises
    ------
    UnreadableError
        When the last line is cut.
    """
    if text and not text.endswith("\n"):
        raise UnreadableError("the last line of the output is cut")
    return text.split("\n")[:-1]


def headed(text: str, header: str) -> tuple[str, list[str]]:
    """Return what follows ``header`` in the first line, and the lines below that are not blank.

    Raises
    ------
    UnreadableError
        When the first line is another one.
    """
    lines = [line for line in whole_lines(text) if line.strip()]
    if not lines or not lines[0].startswith(header):
        raise UnreadableError(f"the output does not begin with {header!r}")
    return lines[0].removeprefix(header).strip(), lines[1:]


def pairs(lines: Iterable[str]) -> dict[str, str]:
    """Return the pairs of lines ``name: value``; lines without a colon go on from the one above.

    Raises
    ------
    UnreadableError
        When a name stands twice.
    """
    values: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            continue
        if name.strip() in values:
            raise UnreadableError(f"{shown(name.strip())} appears twice")
        values[name.strip()] = value.strip()
    return values


def wanted(values: dict[str, str], name: str) -> str:
    """Return the value of a name, or raise UnreadableError."""
    if name not in values:
        raise UnreadableError(f"the output has no {name!r}")
    return values[name]
