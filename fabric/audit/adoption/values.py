"""From what a port has to the value of the policy that gives it that.

The rendered configuration of the inventory calibrates: what a system writes for a known value
tells what it means by another one. Thresholds that are cells or percents, and shares that leave
something to other classes, come back as estimates; rendering decides whether they hold.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from pydantic import ValidationError

from fabric.audit.adoption.class_values import class_value, is_class_field, single_field
from fabric.audit.adoption.classes import in_order
from fabric.audit.adoption.traits import MARKS, Share, preferred
from fabric.core.shown import printable
from fabric.intent.policy import LosslessPolicy, Model, WatchdogPolicy
from fabric.intent.resolve import field_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.audit.adoption.traits import Trait

#: Words of systems for the actions of the policy (Arista EOS `priority-flow-control pause
#: watchdog action`; Huawei VRP8 `dcb pfc deadlock-detect`, whose recovery discards).
_ACTIONS = {"notify-only": "alert", "discard": "drop"}
_POLICY_ACTIONS = get_args(WatchdogPolicy.model_fields["action"].annotation)
#: Fields whose reading differs from the value by a constant: the header that a system counts.
_OFFSETS = frozenset({"mtu.port_bytes"})


class Value(NamedTuple):
    """A value of the policy; ``content`` None where the policy cannot hold what runs.

    Parameters
    ----------
    exact : bool
        Whether it was read, not estimated.
    why : str
        What the policy cannot hold.
    """

    content: Any
    exact: bool = True
    why: str = ""


def value_of(field: str, running: Trait, rendered: Trait | None, current: Any) -> Value:
    """Return the value of a field that gives a port what it has.

    Parameters
    ----------
    running, rendered : Trait
        What the port has, and what it would have by the inventory; None where that is unknown.
    current : object
        Value of the inventory.
    """
    if running == rendered:
        return Value(current)
    if is_class_field(field) and isinstance(running, frozenset):
        return _all_of(running, current)
    field = single_field(field)
    if field == MARKS:
        return _marks(running)
    if isinstance(running, frozenset):
        return _one_of(field, running, current)
    if field == "watchdog.action":
        word = _ACTIONS.get(str(running), running)
        known = word in _POLICY_ACTIONS
        return (
            Value(word)
            if known
            else Value(None, why=f"the policy has no action {printable(str(word))}")
        )
    if isinstance(running, bool):
        return Value(running)
    if field == "dynamic_th":  # without a value the vendor's tables decide, port by port
        return Value(None, why="adopt leaves it to you; set lossless.dynamic_th")
    return _checked(field, _number(field, running, rendered, current))


def _marks(running: Trait) -> Value:
    return Value(None, why="" if running else "the policy always marks ECN")


def _one_of(field: str, running: frozenset[int], current: int) -> Value:
    if not running:
        return Value(None, why="no DSCP leads to the class")
    why = "" if len(running) == 1 else "the policy has one value"
    return Value(preferred(running, current, LosslessPolicy.model_fields[field].default), why=why)


def _all_of(running: frozenset[int], current: tuple[int, ...]) -> Value:
    if not running:
        return Value(None, why="no DSCP leads to the class")
    return Value(in_order(running, current[0], current))


def _number(field: str, running: Any, rendered: Any, current: Any) -> Value:
    """Return a number: as it is read, or in proportion to what the system makes of the present."""
    if isinstance(running, Share):
        if not isinstance(rendered, Share) or not rendered.limit:
            return Value(None, why="its unit depends on the switch model")
        return Value(round(current * running.limit / rendered.limit), exact=False)
    if rendered is None or isinstance(rendered, Share) or rendered == current or not rendered:
        return Value(round(running))
    if field in _OFFSETS:
        return Value(round(current + running - rendered))
    return Value(round(current * running / rendered), exact=False)


def _checked(field: str, value: Value) -> Value:
    if value.content is None or _is_valid(field, value.content):
        return value
    return Value(None, why=f"the policy does not accept {value.content}")


@lru_cache(maxsize=4096)
def _is_valid(field: str, content: float) -> bool:
    try:
        LosslessPolicy.model_validate(nested({field: content}))
    except ValidationError:
        return False
    return True


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return dotted fields as a tree, in the order of the policy."""
    tree: dict[str, Any] = {}
    for field in sorted(values, key=policy_fields().index):
        *parents, last = field.split(".")
        branch = tree
        for parent in parents:
            branch = branch.setdefault(parent, {})
        branch[last] = values[field]
    return tree


@cache
def policy_fields() -> tuple[str, ...]:
    """Return every field of the lossless policy, dotted, in its order."""
    return tuple(_leaves(LosslessPolicy()))


def _leaves(policy: Model, prefix: str = "") -> Iterator[str]:
    for name in type(policy).model_fields:
        value = getattr(policy, name)
        if isinstance(value, Model):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def known_value(policy: LosslessPolicy, field: str) -> Any:
    """Return a field of a policy; nothing where the policy has no such field."""
    if single_field(field) == MARKS:
        return None
    return class_value(policy, field) if is_class_field(field) else field_value(policy, field)
