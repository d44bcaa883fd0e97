"""Values of the classes of a list, by dotted fields such as ``classes.storage.queue``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from fabric.intent.classes import LISTED, lossless_classes
from fabric.intent.policy import EcnPolicy, merge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.intent.classes import LosslessClass
    from fabric.intent.policy import ClassPolicy, LosslessPolicy

Classes: TypeAlias = "tuple[ClassPolicy, ...]"

_SINGLE = {listed: single for single, listed in LISTED.items()}
_PREFIX = "classes."
_NUMBERS = ("traffic_class", "queue", "priority_group")
#: Thresholds that are written together: some switch models take them only where both are set.
_TOGETHER = ("kmin_bytes", "kmax_bytes")


def class_field(name: str, field: str) -> str:
    """Return where the list has a field of a class, by its name in a policy without a list."""
    return f"{_PREFIX}{name}.{LISTED.get(field, field)}"


def is_class_field(field: str) -> bool:
    """Return whether a field is that of one class of a list."""
    return field.startswith(_PREFIX)


def single_field(field: str) -> str:
    """Return what a policy without a list calls a field; a field of no list is itself."""
    if not is_class_field(field):
        return field
    own = field.split(".", 2)[2]
    return _SINGLE.get(own, own)


def class_value(policy: LosslessPolicy, field: str) -> Any:
    """Return the value of such a field; None where the policy has no such class."""
    name = field.split(".", 2)[1]
    single = single_field(field)
    values = (one.value(single) for one in lossless_classes(policy) if one.name == name)
    return next(values, None)


def with_values(policy: LosslessPolicy, fields: Mapping[str, Any]) -> Classes:
    """Return the classes of a policy with other values; what a class has by default is not set.

    Parameters
    ----------
    fields : mapping of str to object
        Values by dotted field, such as ``classes.storage.queue``; those of other lists are ignored.
    """
    decided = lossless_classes(policy)
    return tuple(
        _with_values(one, now, _of_class(one.name, fields))
        for one, now in zip(policy.classes, decided, strict=False)
    )


def _of_class(name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    prefix = f"classes.{name}."
    return {
        field.removeprefix(prefix): value
        for field, value in fields.items()
        if field.startswith(prefix)
    }


def _with_values(one: ClassPolicy, now: LosslessClass, fields: Mapping[str, Any]) -> ClassPolicy:
    current = {name: getattr(now, name) for name in _NUMBERS}
    current |= {"scheduler_percent": now.percent, "dscps": now.dscps}
    changes = {
        name: fields[name] for name in current if name in fields and fields[name] != current[name]
    }
    thresholds = {
        name.removeprefix("ecn."): value
        for name, value in fields.items()
        if name.startswith("ecn.") and value != now.value(name)
    }
    if thresholds.keys() & set(_TOGETHER):
        both = {name: fields.get(f"ecn.{name}", getattr(now, name)) for name in _TOGETHER}
        thresholds |= both
    if thresholds:
        ecn = EcnPolicy(**thresholds)
        changes["ecn"] = merge(one.ecn, ecn) if one.ecn else ecn
    return one.model_copy(update=changes)
