"""What pydantic's error types mean to the writer of an inventory: rule, message and fix."""

from __future__ import annotations

import ast
import ipaddress
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from fabric.core.counts import counted
from fabric.core.shown import bare, closest, found, listed, printable, quoted
from fabric.intent.scalars import FORMS, network_fix

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

UNKNOWN, MISSING, TYPE, RANGE, CHOICE, FORM, OWN = (
    "INT002", "INT012", "INT013", "INT014", "INT015", "INT016", "INT017",
)  # fmt: skip

_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")
_CHOICE = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|-?[0-9][0-9.]*|True|False|None")
#: A date with time of RFC 3339, for messages.
_TIME = "2026-11-23T05:00:00Z"
_FIX_SPLIT = re.compile(r"\s*;\s+")

_KINDS = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "decimal_type": "a number",
    "decimal_parsing": "a number",
    "string_type": "text",
    "string_sub_type": "text",
    "string_unicode": "text",
    "bytes_type": "text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "iterable_type": "a list",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dataclass_type": "a mapping",
    "none_required": "nothing",
    "date_type": "a date",
    "time_type": "a time",
    "datetime_type": "a date with time",
}
_TYPE_FIXES = {
    "true or false": "use true or false, without quotes",
    "a list": "put each item on its own line after '- '",
    "a mapping": "add 'key: value' lines below it",
    "nothing": "remove the value",
}
_ADDRESSES: dict[str, tuple[str, str]] = {
    "ip_v4_address": ("an IPv4 address", "10.0.0.1"),
    "ip_v4_network": ("an IPv4 network", "10.0.0.0/16"),
    "ip_v4_interface": ("an IPv4 address with length", "10.0.0.1/24"),
    "ip_v6_address": ("an IPv6 address", "2001:db8::1"),
    "ip_v6_network": ("an IPv6 network", "2001:db8::/64"),
    "ip_v6_interface": ("an IPv6 address with length", "2001:db8::1/64"),
}
_CLASSES = {
    f"IPv{name[4]}{name[6:].capitalize()}": (name, *row) for name, row in _ADDRESSES.items()
}


class Words(NamedTuple):
    """One error in plain words."""

    rule: str
    message: str
    fix: str


def in_words(error: Mapping[str, Any], value: object) -> Words:
    """Return the plain words for one error of pydantic.

    Parameters
    ----------
    error : Mapping
        One item of ``ValidationError.errors()``: ``type``, ``msg`` and perhaps ``ctx``.
    value : object
        What the document holds at the place of the error.
    """
    kind, context = str(error["type"]), error.get("ctx", {})
    if kind in _KINDS or kind == "is_instance_of" or kind in _ADDRESSES:
        return _wrong_type(kind, context, value)
    if kind in ("literal_error", "enum", "union_tag_invalid"):
        return _choice(choices(context), value)
    if kind in _SPECIAL:
        return _SPECIAL[kind](context, value)
    if kind in ("value_error", "assertion_error"):
        return _own(str(context.get("error", "")) or str(error["msg"]))
    return _own(_fallback(str(error["msg"])))


def is_mismatch(kind: str) -> bool:
    """Say whether an error type means that the value is of another kind altogether."""
    return kind in _KINDS or kind in ("is_instance_of", "literal_error", "enum")


def either(errors: list[Mapping[str, Any]], value: object) -> Words:
    """Return the words for a value that fits no member of a union."""
    words = [word for error in errors for word in choices(error.get("ctx", {}))]
    kinds = [
        _expected(str(error["type"]), error.get("ctx", {}))
        for error in errors
        if error["type"] not in ("literal_error", "enum")
    ]
    expected = listed(dict.fromkeys([*kinds, *map(bare, words)]))
    message = f"expected {expected}, found {found(value)}"
    match = closest(value, _texts(words)) if isinstance(value, str) else None
    if match:
        return Words(CHOICE, message, f"did you mean {quoted(match)}?")
    return Words(TYPE, message, f"use {expected}")


def choices(context: Mapping[str, Any]) -> list[Any]:
    """Return the allowed words that the context of a literal, enum or tag error lists."""
    text = str(context.get("expected_tags") or context.get("expected") or "")
    return [ast.literal_eval(word) for word in _CHOICE.findall(text)]


def _expected(kind: str, context: Mapping[str, Any]) -> str:
    if kind in _ADDRESSES:
        return _ADDRESSES[kind][0]
    if kind == "is_instance_of":
        name = str(context.get("class", ""))
        return _CLASSES[name][1] if name in _CLASSES else f"a value of kind {name}"
    return _KINDS[kind]


def _wrong_type(kind: str, context: Mapping[str, Any], value: object) -> Words:
    name = _CLASSES.get(str(context.get("class", "")), (kind,))[0]
    if name in _ADDRESSES and isinstance(value, str):
        return _not_an_address(name, value)
    expected = _expected(kind, context)
    message = f"expected {expected}, found {found(value)}"
    fields = _required(str(context.get("class_name", ""))) if value is not None else []
    if fields:
        form = ", ".join(f"{field}: ..." for field in fields)
        return Words(TYPE, message, f"write {{{form}}}, or lines 'key: value' below it")
    return Words(TYPE, message, _type_fix(expected, value))


def _required(name: str) -> list[str]:
    """Return the fields that a model must have; none where it is not known."""
    waiting: list[type[BaseModel]] = [BaseModel]
    while waiting:
        model = waiting.pop()
        if model.__name__ == name:
            return [key for key, field in model.model_fields.items() if field.is_required()]
        waiting += model.__subclasses__()
    return []


def _type_fix(expected: str, value: object) -> str:
    if value is None:
        return "set a value, or remove the key"
    if expected == "text" and isinstance(value, bool | int | float):
        return "put it in quotes"
    if "number" in expected and isinstance(value, str) and _NUMBER.fullmatch(value):
        return "remove the quotes"
    if expected == "text" and isinstance(value, list) and all(isinstance(i, str) for i in value):
        return f"write the items as one text: {quoted(','.join(value))}" if value else "use text"
    return _TYPE_FIXES.get(expected, f"use {expected}")


def _not_an_address(name: str, value: str) -> Words:
    expected, example = _ADDRESSES[name]
    if name.endswith("network"):
        try:
            interface = ipaddress.ip_interface(value)
        except ValueError:
            pass
        else:
            if interface.version == int(name[4]):
                message = f"{quoted(value)} has host bits set"
                return Words(FORM, message, network_fix(interface))
    return Words(FORM, f"{quoted(value)} is not {expected}", f"use the form {example}")


def _choice(words: list[Any], value: object) -> Words:
    allowed = listed(map(bare, words)) if words else "one of the known words"
    shown = bare(value) if isinstance(value, str | int | float) else found(value)
    message = f"{shown} is not one of the allowed values"
    match = closest(value, _texts(words)) if isinstance(value, str) else None
    if match and len(words) > 1:
        return Words(CHOICE, message, f"did you mean {quoted(match)}? Allowed: {allowed}")
    return Words(CHOICE, message, f"use {allowed}")


def _texts(words: list[Any]) -> list[str]:
    return [word for word in words if isinstance(word, str)]


def _own(text: str) -> Words:
    """Return the words of a check that says itself what is wrong, and perhaps what to do."""
    message, *rest = _FIX_SPLIT.split(text.strip(), maxsplit=1)
    return Words(OWN, printable(message), printable(rest[0]) if rest else "")


def _fallback(text: str) -> str:
    text = text.removesuffix(".")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _number(limit: object) -> str:
    return f"{limit:g}" if isinstance(limit, float) else str(limit)


def _limit(size: str, word: str, key: str) -> Callable[[Mapping[str, Any], object], Words]:
    def words(context: Mapping[str, Any], value: object) -> Words:
        return Words(RANGE, f"{bare(value)} is {size}", f"use {word.format(_number(context[key]))}")

    return words


def _items(size: str, word: str, key: str) -> Callable[[Mapping[str, Any], object], Words]:
    def words(context: Mapping[str, Any], value: object) -> Words:
        limit = int(context[key])
        unit = "character" if isinstance(value, str) else "item"
        actual = len(value) if isinstance(value, str | list | dict) else "?"
        needed = f"{word} {counted(limit, unit)}"
        name = "the text" if isinstance(value, str) else found(value).replace("a ", "the ", 1)
        if actual == 0:
            return Words(RANGE, f"{name} is empty", f"use {needed}")
        plural = "" if actual == 1 else "s"
        return Words(RANGE, f"{name} has {actual} {unit}{plural}, too {size}", f"use {needed}")

    return words


def _pattern(context: Mapping[str, Any], value: object) -> Words:
    message = f"{bare(value)} does not have the required form"
    words = FORMS.get(str(context["pattern"]), "text in the form given in its description")
    return Words(FORM, message, f"use {words}")


def _not_finite(_: Mapping[str, Any], value: object) -> Words:
    return Words(RANGE, f"{bare(value)} is not a finite number", "use a plain number")


def _no_tag(_: Mapping[str, Any], value: object) -> Words:
    message = f"{found(value)} does not match any of the known kinds"
    return Words(CHOICE, message, "add the field that selects its kind")


def _not_a_time(_: Mapping[str, Any], value: object) -> Words:
    return Words(FORM, f"{bare(value)} is not a date with time", f"use the form {_TIME}")


def _no_zone(_: Mapping[str, Any], value: object) -> Words:
    return Words(FORM, f"{bare(value)} has no time zone", f"use the form {_TIME}")


_SPECIAL: dict[str, Callable[[Mapping[str, Any], object], Words]] = {
    "greater_than_equal": _limit("too small", "{} or more", "ge"),
    "greater_than": _limit("too small", "more than {}", "gt"),
    "less_than_equal": _limit("too large", "{} or less", "le"),
    "less_than": _limit("too large", "less than {}", "lt"),
    "multiple_of": _limit("not an allowed step", "a multiple of {}", "multiple_of"),
    "too_short": _items("few", "at least", "min_length"),
    "too_long": _items("many", "at most", "max_length"),
    "string_too_short": _items("few", "at least", "min_length"),
    "string_too_long": _items("many", "at most", "max_length"),
    "string_pattern_mismatch": _pattern,
    "finite_number": _not_finite,
    "union_tag_not_found": _no_tag,
    "datetime_parsing": _not_a_time,
    "datetime_from_date_parsing": _not_a_time,
    "timezone_aware": _no_zone,
}
