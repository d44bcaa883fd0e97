"""Single values of the inventory: how each is written."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from fabric.core import hostlist
from fabric.core.counts import counted

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
INTERFACE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,14}")
_PORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9/:_.-]{0,31}")
MAX_NAME = 63
#: Prefix lengths of cables between switches; the first is that of the pools (RFC 3021).
LINK_LENGTHS = (31, 30)
#: Length of an IPv6 subnet of two addresses (RFC 6164).
PAIR6 = 127
_MAX_CAGE = 1024
#: A network is offered by its first address where it is larger than that of a cable. Ours.
_LEAST_BITS = 2


Loose = Field(strict=False)  # YAML knows lists only; the items stay strict
#: How the ends of a cable between switches speak: between addresses, or by the port.
Peering = Literal["numbered", "unnumbered"]
EcmpMode = Literal["hash", "flowlet", "per-packet", "cluster"]
BufferModel = Literal["traditional", "dynamic"]
#: sonic-net/sonic-buildimage sonic-default-lossless-buffer-parameter.yang: ``over_subscribe_ratio``
#: is uint16, and 0 switches the shared headroom off.
OverSubscription = Annotated[int, Field(ge=1, le=65_535)]
#: A fastest quantum is 0.3 ns; the longest pause of one frame at 10G is 3.4 ms.
PauseResponseNs = Annotated[int, Field(ge=1, le=1_000_000)]
Gbps = Literal[10, 25, 40, 50, 100, 200, 400, 800]
#: Longest cable that the inventory takes: optics between sites reach 80 km (ZR). Ours.
LONGEST_CABLE_M = 80_000
CableMetres = Annotated[int, Field(ge=1, le=LONGEST_CABLE_M)]
Asn = Annotated[int, Field(ge=1, le=4_294_967_294)]
#: Place in a subnet of NICs, the largest of which is a /8.
AddressOffset = Annotated[int, Field(ge=1, le=2**24 - 2)]
#: What a text must look like, in words, by the pattern that checks it.
FORMS: dict[str, str] = {}


def _name(text: str) -> str:
    if len(text) > MAX_NAME or not _NAME.fullmatch(text):
        raise ValueError(
            f"{text!r} is not a device name; use letters, digits, inner hyphens and underscores, "
            "with single dots between labels, at most 63"
        )
    return text


def _names(text: str) -> str:
    total = hostlist.count(text)
    if total > hostlist.MAX_NAMES:
        raise ValueError(
            f"the range expands to {counted(total, 'name')}; at most {hostlist.MAX_NAMES:,} are "
            "allowed"
        )
    names = hostlist.expand(text)
    for name in names:
        _name(name)
    if len(set(names)) != len(names):
        double = Counter(names).most_common(1)[0][0]
        raise ValueError(f"{double!r} appears twice in the range; list each device once")
    return text


def _interfaces(text: str) -> str:
    names = hostlist.expand(text)
    for name in names:
        _interface(name)
    return text


def _interface(text: str) -> str:
    if not INTERFACE.fullmatch(text):
        raise ValueError(f"{text!r} is not an interface name; use at most 15 of A-Z a-z 0-9 _ . -")
    return text


def _port_names(text: str) -> str:
    names = hostlist.expand(text)
    for name in names:
        if not _PORT.fullmatch(name):
            raise ValueError(
                f"{name!r} is not a port name; use the name on the platform, such as Ethernet0"
            )
    return text


def _cages(text: str) -> str:
    try:
        cage_numbers(text)
    except ValueError:
        message = f"{text!r} is not a list of cages; use their numbers from 1, such as 1-32,40"
        raise ValueError(message) from None
    return text


def cage_numbers(text: str) -> tuple[int, ...]:
    """Return the cages of a range: ``1-3,8`` is 1, 2, 3 and 8.

    Raises
    ------
    ValueError
        When it is no range, counts down, or goes beyond 1024.
    """
    numbers: list[int] = []
    for piece in text.split(","):
        low, dash, high = piece.partition("-")
        first, last = int(low), int(high if dash else low)
        if not 1 <= first <= last <= _MAX_CAGE:
            raise ValueError(piece)
        numbers += range(first, last + 1)
    return tuple(numbers)


def _network(value: object) -> object:
    example = "10.0.0.0/16"
    if _is_network(value, ipaddress.IPv6Network):
        raise ValueError(
            f"{value!r} is an IPv6 network, and this field is one of IPv4; use the form {example}, "
            "and set IPv6 in addressing.ipv6, or in ipv6 of a subnet"
        )
    return _in_words(value, ipaddress.IPv4Network, example)


def _network6(value: object) -> object:
    return _in_words(value, ipaddress.IPv6Network, "fd00:64::/48")


def _is_network(value: object, network: type[ipaddress.IPv6Network]) -> bool:
    try:
        network(value, strict=False)
    except (TypeError, ValueError):
        return False
    return isinstance(value, str)


def _in_words(
    value: object,
    network: type[ipaddress.IPv4Network | ipaddress.IPv6Network],
    example: str,
) -> object:
    if not isinstance(value, str):
        return value
    try:
        whole = network(value, strict=False)
    except ValueError:
        message = f"{value!r} is not an {network.__name__[:4]} network; use the form {example}"
        raise ValueError(message) from None
    if "/" not in value:
        raise ValueError(f"{value!r} has no prefix length; use the form {example}")
    interface = ipaddress.ip_interface(value)
    if interface.ip != whole.network_address:
        raise ValueError(f"{value!r} has host bits set; {network_fix(interface)}")
    return whole


def network_fix(interface: ipaddress.IPv4Interface | ipaddress.IPv6Interface) -> str:
    """Return what to write for a network with host bits, which may begin where it says.

    Examples
    --------
    >>> network_fix(ipaddress.ip_interface("10.0.4.0/21"))
    'use the network address 10.0.0.0/21, or 10.0.4.0/22, which begins there'
    """
    address = int(interface.ip)
    zeros = (address & -address).bit_length() - 1
    begins = f", or {interface.ip}/{interface.max_prefixlen - zeros}, which begins there"
    return f"use the network address {interface.network}{begins if zeros > _LEAST_BITS else ''}"


def _address(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return ipaddress.IPv4Address(value)
    except ValueError:
        raise ValueError(f"{value!r} is not an IPv4 address; use the form 10.0.0.1") from None


def _address6(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return ipaddress.IPv6Address(value)
    except ValueError:
        raise ValueError(f"{value!r} is not an IPv6 address; use the form fd00:64::1") from None


def _any_address(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return ipaddress.ip_address(value)
    except ValueError:
        raise ValueError(
            f"{value!r} is not an address; use the form 10.0.0.1 or fd00:64::1"
        ) from None


def _link_address(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        address = ipaddress.IPv4Interface(value if "/" in value else f"{value}/31")
    except ValueError:
        address = ipaddress.IPv4Interface("0.0.0.0/0")
    length = address.network.prefixlen
    first, last = address.network[0], address.network[-1]
    if length not in LINK_LENGTHS or (length == LINK_LENGTHS[1] and address.ip in (first, last)):
        raise ValueError(
            f"{value!r} is not an end of a cable; use the form 10.0.0.1 in a /31, or a host "
            "address of a /30 such as 10.0.0.1/30"
        )
    return address


def _link_address6(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        address = ipaddress.IPv6Interface(value if "/" in value else f"{value}/127")
    except ValueError:
        address = ipaddress.IPv6Interface("::/0")
    if address.network.prefixlen != PAIR6:
        raise ValueError(f"{value!r} is not an end of a cable; use the form fd00:65::2 in a /127")
    return address


def _day(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError(f"{value!r} is not a date; use the form '2027-01-31'") from None


def _mac(text: str) -> str:
    if not MAC.fullmatch(text):
        raise ValueError(f"{text!r} is not a MAC address; use six lower-case pairs with colons")
    return text


def _text(text: str) -> str:
    if not text.isprintable() or not text.isascii():
        raise ValueError("only printable ASCII characters are allowed; remove all others")
    return text


def formed(pattern: str, words: str) -> Any:
    """Return a field of text of one form; messages tell the form in words, never the pattern."""
    FORMS[pattern] = words
    return Field(pattern=pattern)


Name = Annotated[str, AfterValidator(_name)]
Names = Annotated[str, AfterValidator(_names)]
Interface = Annotated[str, AfterValidator(_interface)]
Interfaces = Annotated[str, AfterValidator(_interfaces)]
Network = Annotated[ipaddress.IPv4Network, BeforeValidator(_network)]
Network6 = Annotated[ipaddress.IPv6Network, BeforeValidator(_network6)]
Address = Annotated[ipaddress.IPv4Address, BeforeValidator(_address)]
Address6 = Annotated[ipaddress.IPv6Address, BeforeValidator(_address6)]
AnyAddress = Annotated[ipaddress.IPv4Address | ipaddress.IPv6Address, BeforeValidator(_any_address)]
LinkAddress6 = Annotated[ipaddress.IPv6Interface, BeforeValidator(_link_address6)]
LinkAddress = Annotated[ipaddress.IPv4Interface, BeforeValidator(_link_address)]
Day = Annotated[date, BeforeValidator(_day)]
Mac = Annotated[str, AfterValidator(_mac)]
Text = Annotated[str, Field(max_length=120), AfterValidator(_text)]
RuleId = Annotated[
    str, formed(r"^[A-Z]{3}[0-9]{3}$", "a rule such as QOS012; `rocefab show rules` lists them")
]
Glob = Annotated[
    str,
    formed(
        r"^[A-Za-z0-9*?][A-Za-z0-9/:_.*?-]{0,63}$",
        "a name with * and ? as wildcards, such as su1-* or Ethernet1/?",
    ),
]
PortName = Annotated[
    str,
    formed(
        r"^[A-Za-z0-9][A-Za-z0-9/:_.-]{0,31}$",
        "one entry for each port, without ranges: a name of at most 32 letters, digits, /, :, _, . "
        "and -, starting with a letter or digit",
    ),
]
PortNames = Annotated[str, AfterValidator(_port_names)]
Cages = Annotated[str, AfterValidator(_cages)]
RackUnit = Annotated[int, Field(ge=1, le=99)]
Release = Annotated[
    str,
    formed(
        r"^[A-Za-z0-9][A-Za-z0-9()-]*(\.[A-Za-z0-9()-]+)*$",
        "a release as its vendor writes it, such as 202505.1, 10.4(3) or 23.4R2-EVO: letters, "
        "digits, brackets and hyphens, with single dots between them",
    ),
    Field(max_length=32),
]
SplitMode = Annotated[
    str,
    formed(r"^[1-9][0-9]?x[1-9][0-9]{0,3}G$", "number of ports and their speed, such as 2x400G"),
]
