"""Files and single values of others as values of our fields, or what is wrong with them.

What others call the fields of a device, a cable and a NIC: explicit tables, no guessing.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.json_text import parse_json, said
from fabric.core.shown import quoted
from fabric.core.validation import own_words
from fabric.exchange.plant import DISABLED
from fabric.intent.scalars import LONGEST_CABLE_M, Name
from fabric.intent.yaml.file import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

#: Management ports by their names on the systems (their manuals, and IEEE 802.3 ports of hosts).
_MANAGEMENT = re.compile(
    r"(?:eth0|mgmt\d*|Management\d[\d/]*|fxp0|em0|me0|vme|re0:mgmt-0|MEth[\d/]+|M-GigabitEthernet"
    r"[\d/]+|MGE[\d/]+)"
)
_MAC = re.compile(r"[0-9a-f]{12}")
_NAME = TypeAdapter(Name)
#: Fields that hold a number, with the least and the greatest; as `fabric.intent.scalars` has them.
_NUMBERS = {
    "rail": (0, 63),
    "plane": (0, 63),
    "nic_port": (0, 63),
    "asn": (1, 4_294_967_294),
    "speed_gbps": (1, 800),
    "cable_m": (1, LONGEST_CABLE_M),
    "vlan": (1, 4094),
}
#: Fields that hold an address, and its form: one with a length, but for loopbacks.
_ADDRESSES: dict[str, type[IPv4Address | IPv4Interface | IPv6Interface]] = {
    "loopback": IPv4Address,
    **dict.fromkeys(("address", "near_address", "far_address"), IPv4Interface),
    **dict.fromkeys(("ipv6", "near_ipv6", "far_ipv6"), IPv6Interface),
}
_MAX_TEXT = 120
_DIGITS = 19
#: RFC 1123, section 2.1.
_DNS = re.compile(
    r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*"
)
_MAX_DNS = 253


#: Names of attributes, variables and columns by our field. The first is what we write. ``function``
#: is the word of Cumulus' topology converter (CumulusNetworks/topology_converter, README).
DEVICE_WORDS: dict[str, tuple[str, ...]] = {
    "kind": ("rocefab_kind", "kind"),
    "role": ("rocefab_role", "role", "device_role", "function"),
    "unit": ("rocefab_unit", "unit", "scalable_unit", "su"),
    "pod": ("rocefab_pod", "pod"),
    "rack": ("rocefab_rack", "rack"),
    "rail": ("rocefab_rail", "rail"),
    "plane": ("rocefab_plane", "plane"),
    "model": ("rocefab_model", "model", "sku", "hwsku", "device_type"),
    "system": ("rocefab_platform", "platform", "nos", "os"),
    "asn": ("rocefab_asn", "asn", "bgp_asn", "bgp_as"),
    "loopback": ("rocefab_loopback", "loopback", "loopback_ip", "router_id"),
    "management": ("ansible_host", "management", "mgmt_ip", "hostname"),
    "serial": ("rocefab_serial", "serial", "serial_number"),
    "mac": ("rocefab_mac", "mac", "mac_address", "chassis_mac"),
}
CABLE_WORDS: dict[str, tuple[str, ...]] = {
    "speed_gbps": ("speed_gbps",),
    "cable_m": ("cable_m",),
    "near_address": ("near_address",),
    "far_address": ("far_address",),
    "near_ipv6": ("near_ipv6",),
    "far_ipv6": ("far_ipv6",),
    "vlan": ("vlan",),
    "state": ("state",),
}
NIC_WORDS: dict[str, tuple[str, ...]] = {
    "rail": ("nic_rail",),
    "nic_port": ("nic_port",),
    "rdma_device": ("rdma_device",),
    "address": ("nic_address",),
    "mac": ("nic_mac",),
    "ipv6": ("nic_ipv6",),
}
#: Words for what a device is: (kind, role).
ROLES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("leaf", "leafs", "leaves", "tor", "asw"), ("switch", "leaf")),
    **dict.fromkeys(("spine", "spines", "aggregation", "psw"), ("switch", "spine")),
    **dict.fromkeys(
        ("superspine", "superspines", "core", "cores", "dsw"), ("switch", "super-spine")
    ),
    **dict.fromkeys(
        ("host", "hosts", "server", "servers", "gpuhost", "gpuhosts", "compute"), ("host", "")
    ),
    **dict.fromkeys(("switch", "switches"), ("switch", "")),
}
_FOLD = re.compile(r"[\s_\-./()]+")


def typed(key: str, value: object) -> int | str:
    """Return a value of the type that a field has.

    Raises
    ------
    ValueError
        With what is wrong, a semicolon, and what to do.
    """
    if isinstance(value, list | dict):
        message = "one value is expected, and there are several; use a number or a text"
        raise ValueError(message)  # noqa: TRY004 - it is the input that is wrong
    if key in _NUMBERS:
        return _number(value, *_NUMBERS[key])
    text = str(value)
    if "{{" in text or "{%" in text:
        raise ValueError(f"{quoted(text)} is a template, which is not evaluated; use its value")
    if key in _ADDRESSES:
        return _address(text, _ADDRESSES[key])
    if key == "management":
        return _reached(text)
    if key == "mac":
        return _mac(text)
    if key == "state":
        return text if text == DISABLED else ""
    if key in {"unit", "pod"}:
        _name(text)
    plain = text.isprintable() and (text.isascii() or key == "rack")
    if len(text) > _MAX_TEXT or not plain:
        message = f"{quoted(text)} is not plain text; use at most {_MAX_TEXT} ASCII characters"
        raise ValueError(message)
    return text


def _number(value: object, low: int, high: int) -> int:
    text = str(value).strip()
    if isinstance(value, bool) or not (text.isdecimal() and text.isascii()):
        raise ValueError(f"{quoted(text)} is not a whole number; use a number from {low} to {high}")
    if len(text) > _DIGITS or not low <= int(text) <= high:
        raise ValueError(f"{quoted(text)} is out of range; use a number from {low} to {high}")
    return int(text)


def _address(text: str, kind: type[IPv4Address | IPv4Interface | IPv6Interface]) -> str:
    try:
        return str(kind(text.partition("/")[0] if kind is IPv4Address else text))
    except ValueError:
        words = "IPv6 address; use the form fd00:64::1"
        if kind is not IPv6Interface:
            words = "IPv4 address; use the form 10.0.0.1"
        raise ValueError(f"{quoted(text)} is not an {words}") from None


def _reached(text: str) -> str:
    """Return an address without length, of either family, or a name of the domain name system."""
    if ":" in text:
        return reached_ipv6(text)
    if _DNS.fullmatch(text) and len(text) <= _MAX_DNS and not text[-1].isdecimal():
        return text
    return _address(text, IPv4Address)


def reached_ipv6(text: str) -> str:
    """Return an address of IPv6 without length that is known beyond its link.

    Raises
    ------
    ValueError
        With what is wrong, a semicolon, and what to do.
    """
    try:
        address = IPv6Address(text.partition("/")[0])
    except ValueError:
        raise ValueError(f"{quoted(text)} is not an IPv6 address; use the form fd00::1") from None
    if address.is_link_local or address.scope_id:
        raise ValueError(f"{quoted(text)} is of one link; use an address of the device or its name")
    return str(address)


def _mac(text: str) -> str:
    digits = re.sub(r"[:.\-]", "", text).lower()
    if not _MAC.fullmatch(digits):
        raise ValueError(f"{quoted(text)} is not a MAC address; use six pairs of hex digits")
    return ":".join(digits[place : place + 2] for place in range(0, 12, 2))


def _name(text: str) -> None:
    problem = name_error(text)
    if problem:
        raise ValueError(problem.replace("a device name", "a name"))


def name_error(text: str) -> str:
    """Return why no device can have a name, and what to do; nothing where one can."""
    try:
        _NAME.validate_python(text, strict=True)
    except ValidationError as error:
        return own_words(error.errors()[0]["msg"])
    return ""


def is_management(port: str) -> bool:
    """Tell whether a port is one for management by its name."""
    return _MANAGEMENT.fullmatch(port) is not None


def is_name(text: str) -> bool:
    """Tell whether a device can have a name."""
    return not name_error(text)


def text_of(path: Path) -> str:
    """Return a text file.

    Raises
    ------
    InputError
        When it cannot be read, is too large, or is no UTF-8 text without control characters.
    """
    return read_text(path, str(path), root=path.parent, kind=FileKind.SOURCE)


def malformed(path: Path, message: str, fix: str, line: int = 1, column: int = 1) -> InputError:
    """Return the error of a file that is not of its form."""
    place = Position(str(path), line, column)
    finding = Finding("EXC006", Severity.ERROR, message, fix, position=place)
    return InputError(f"1 error in {path}", [finding])


def json_of(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises
    ------
    InputError
        As for `text_of`, and when it is no JSON.
    """
    try:
        return parse_json(text_of(path))
    except JSONDecodeError as error:
        fix = "provide the complete file"
        raise malformed(path, said(error), fix, error.lineno, error.colno) from error


def folded(word: str) -> str:
    """Return a word without case, spaces, hyphens and underscores."""
    return _FOLD.sub("", word).lower()


def role_of(word: str) -> tuple[str, str] | None:
    """Return kind and role that a word stands for, or None."""
    return ROLES.get(folded(word))


def meant(word: str, meanings: Mapping[str, str]) -> tuple[str, str] | None:
    """Return kind and role of a word that the user may have told about."""
    by_word = {folded(name): role for name, role in meanings.items()}
    return role_of(by_word.get(folded(word), word))


def role_of_groups(groups: Iterable[str], meanings: Mapping[str, str]) -> dict[str, object]:
    """Return kind and role that the names of groups tell, near ones first."""
    roles: dict[str, object] = {}
    for group in groups:
        kind, role = meant(group, meanings) or ("", "")
        if kind and roles.get("kind", kind) == kind:
            roles["kind"] = kind
            if role and "role" not in roles:
                roles["role"] = role
    return roles


def pick(values: Mapping[str, object], words: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    """Return our fields of what others call by one of the words; empty values are left out."""
    picked: dict[str, object] = {}
    for field, names in words.items():
        named = [values[name] for name in names if name in values]
        known = [value for value in named if value is not None and value != ""]
        if known:
            picked[field] = known[0]
    return picked


def known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are known."""
    return {key: value for key, value in values.items() if value is not None and value != ""}
