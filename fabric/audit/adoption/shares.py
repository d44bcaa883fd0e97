"""Shares of queues as the policy has them: percents that sum to 100.

Systems have weights that sum to anything, such as DWRR weights 15 and 14, and percents that leave
something to other queues. Their proportion is what counts (IEEE 802.1Q-2018 clause 37.3 has
percents of what strict queues leave).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.audit.adoption.class_values import class_field
from fabric.audit.adoption.values import known_value
from fabric.intent.classes import lossless_classes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from fabric.audit.adoption.class_values import Classes
    from fabric.intent.policy import LosslessPolicy

_WHOLE = 100
_LOSSLESS, _DEFAULT = "scheduler.lossless_percent", "scheduler.default_percent"


def whole_shares(policy: LosslessPolicy, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same values, with shares in whole percents that sum to 100.

    Parameters
    ----------
    policy : LosslessPolicy
        What the inventory says, with the list of classes that the device is to have.
    fields : mapping of str to object
        Values by dotted field. Shares that it lacks are those of the policy, as far as those that
        were read leave room.
    """
    names = [field for field in _share_fields(policy) if field in fields]
    if not names:
        return dict(fields)
    others = [field for field in _share_fields(policy) if field not in fields]
    shares = {field: int(fields[field]) for field in names}
    rest = {field: int(known_value(policy, field)) for field in others}
    left = _WHOLE - sum(shares.values())
    if rest and left >= len(rest):
        shares |= in_proportion(rest, left)
    elif sum(shares.values()) + sum(rest.values()) != _WHOLE:
        shares = in_proportion(shares | rest, _WHOLE)
    return {**fields, **shares}


def whole_list(base: LosslessPolicy, classes: Classes) -> Classes:
    """Return classes whose shares sum to 100 with that of all other traffic."""
    decided = lossless_classes(base.model_copy(update={"classes": classes})) if classes else ()
    shares = {one.name: one.percent for one in decided}
    left = _WHOLE - base.scheduler.default_percent
    if not classes or sum(shares.values()) == left or left < len(shares):
        return classes
    parts = in_proportion(shares, left)
    return tuple(one.model_copy(update={"scheduler_percent": parts[one.name]}) for one in classes)


def in_proportion(weights: Mapping[str, int], whole: int) -> dict[str, int]:
    """Divide a whole by weights in whole numbers of at least 1, by largest remainders."""
    total = sum(weights.values())
    quotas = {name: weight * whole / total for name, weight in weights.items()}
    parts = {name: max(1, int(quota)) for name, quota in quotas.items()}
    order = sorted(quotas, key=lambda name: quotas[name] - parts[name], reverse=True)
    missing = whole - sum(parts.values())
    for name in order[: max(missing, 0)]:
        parts[name] += 1
    if missing < 0:  # some have 1 that would have less
        parts[max(parts, key=parts.__getitem__)] += missing
    return parts


def scaled(policy: LosslessPolicy, fields: Mapping[str, Any]) -> dict[str, str]:
    """Return why shares that were read are not kept as they are, by field."""
    names = [field for field in _share_fields(policy) if field in fields]
    total = sum(int(fields[field]) for field in names)
    if total == _WHOLE or len(names) < len(_share_fields(policy)):
        return {}
    why = f"shares that sum to {total} become percents that sum to {_WHOLE}"
    return dict.fromkeys(names, why)


def _share_fields(policy: LosslessPolicy) -> list[str]:
    if not policy.classes:
        return [_LOSSLESS, _DEFAULT]
    names = [one.name for one in lossless_classes(policy)]
    return [*(class_field(name, _LOSSLESS) for name in names), _DEFAULT]
