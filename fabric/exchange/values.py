"""Single values of others as values of our fields, or what is wrong with them."""

from __future__ import annotations

import ipaddress
import re

from pydantic import TypeAdapter, ValidationError

from fabric.intent.scalars import Name
from fabric.intent.wording import quoted

_MAC = re.compile(r"[0-9a-f]{12}")
_NAME = TypeAdapter(Name)
#: Fields that hold a number, with the least and the greatest; as `fabric.intent.scalars` has them.
_NUMBERS = {
    "rail": (0, 63),
    "plane": (0, 63),
    "nic_port": (0, 63),
    "asn": (1, 4_294_967_294),
    "speed_gbps": (1, 800),
    "cable_m": (1, 80_000),
}
_MAX_TEXT = 120
_DIGITS = 19
#: RFC 1123, section 2.1.
_DNS = re.compile(
    r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*"
)
_MAX_DNS = 253


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
    if key in {"loopback", "address"}:
        return _address(text, length=key == "address")
    if key == "management":
        return _reached(text)
    if key == "mac":
        return _mac(text)
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


def _address(text: str, *, length: bool) -> str:
    try:
        if length:
            return str(ipaddress.IPv4Interface(text))
        return str(ipaddress.IPv4Address(text.partition("/")[0]))
    except ValueError:
        raise ValueError(f"{quoted(text)} is not an IPv4 address; use the form 10.0.0.1") from None


def _reached(text: str) -> str:
    """Return an address without length, or a name of the domain name system."""
    if _DNS.fullmatch(text) and len(text) <= _MAX_DNS and not text[-1].isdecimal():
        return text
    return _address(text, length=False)


def _mac(text: str) -> str:
    digits = re.sub(r"[:.\-]", "", text).lower()
    if not _MAC.fullmatch(digits):
        raise ValueError(f"{quoted(text)} is not a MAC address; use six pairs of hex digits")
    return ":".join(digits[place : place + 2] for place in range(0, 12, 2))


def _name(text: str) -> None:
    try:
        _NAME.validate_python(text)
    except ValidationError as error:
        said = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise ValueError(said.replace("a device name", "a name")) from None
