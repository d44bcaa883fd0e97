"""How a single value of a design is compared with a limit of its system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.platforms.features import Limit

Verdict: TypeAlias = "tuple[str, str, dict[str, Any]] | None"


def verdict(limit: Limit, value: Any) -> Verdict:
    """Return what is wrong with a single value, or None.

    Returns
    -------
    tuple of (message, fix, words) or None
        Templates of the texts, and the words that they need beside those of every limit.
    """
    for name in limit.comparisons:
        wrong = _VERDICTS[name](limit, value) if name in _VERDICTS else None
        if wrong:
            return wrong
    return None


def _range(limit: Limit, value: int) -> Verdict:
    assert limit.range
    low, high = limit.range
    if low <= value <= high:
        return None
    words = {"low": low, "high": high}
    return "{field} {text} is outside {range}, the range of {system}", "use {range}", words


def _reserved(limit: Limit, value: int) -> Verdict:
    assert limit.reserved
    low, high = limit.reserved
    if not low <= value <= high:
        return None
    return "{field} {value} is reserved by {system}", "use a value below {low}", {"low": low}


def _step(limit: Limit, value: int) -> Verdict:
    assert limit.step
    if value % limit.step == 0:
        return None
    return "{field} {text} is not a multiple of {step}", "use one", {"step": limit.step}


def _accepted(limit: Limit, value: Any) -> Verdict:
    if value in limit.values:
        return None
    words = {"accepted": " or ".join(str(one) or "none" for one in limit.values)}
    return "{field} {text} is not supported by {system}", "use {accepted}", words


def _excluded(limit: Limit, value: Any) -> Verdict:
    if value not in limit.excluded:
        return None
    return "{field} {text} is not supported by {system}", "use another value", {}


def _contained(limit: Limit, value: str) -> Verdict:
    signs = [name for sign, name in limit.without.items() if sign in value]
    if not signs:
        return None
    words = {"signs": " and ".join(signs)}
    return "the {field} {value!r} contains {signs}", "remove it", words


def _mismatch(limit: Limit, value: str) -> Verdict:
    if limit.compiled.fullmatch(value):
        return None
    return "the {field} {value!r} contains characters that {system} may interpret", "", {}


def _too_long(limit: Limit, value: str) -> Verdict:
    if len(value) <= (limit.longest or 0):
        return None
    words = {"longest": limit.longest}
    return "the {field} has more than {longest} characters", "shorten it", words


def _too_many(limit: Limit, value: tuple[Any, ...]) -> Verdict:
    assert limit.most
    if len(value) <= limit.most:
        return None
    words = {"count": len(value), "most": limit.most}
    return "{count} {field} are more than the {most} of {system}", "use at most {most}", words


_VERDICTS: dict[str, Callable[[Limit, Any], Verdict]] = {
    "step": _step,
    "range": _range,
    "reserved": _reserved,
    "values": _accepted,
    "excluded": _excluded,
    "without": _contained,
    "pattern": _mismatch,
    "longest": _too_long,
    "most": _too_many,
}


def short(field: str) -> str:
    """Return the name of a field for messages: without its group where it is of the policy."""
    name = field.removeprefix("lossless.").removesuffix(" of a port")
    return name.removeprefix("devices.ports.").removeprefix("management.").replace("_servers", "")


def text_of(field: str, value: Any) -> str:
    """Return a value for messages, bytes with separators."""
    return f"{value:,}" if field.endswith("_bytes") else str(value) or "none"
