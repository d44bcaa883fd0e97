"""Which lossless class of one side is which of the other: names may differ, the traffic is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fabric.intent.classes import LosslessClass

    Classes: TypeAlias = tuple[LosslessClass, ...]
    #: Values of figures by name.
    Sizes: TypeAlias = dict[str, object]
    Pair: TypeAlias = tuple[LosslessClass | None, LosslessClass | None]
    #: Tells whether two classes are the same traffic.
    Same: TypeAlias = Callable[[LosslessClass, LosslessClass], bool]


def class_figures(old: Classes, new: Classes, names: Iterable[str]) -> tuple[Sizes, Sizes]:
    """Return the figures of lossless classes on both sides; one class has one name on both.

    Parameters
    ----------
    names : iterable of str
        Fields of `LosslessClass`.
    """
    fields = tuple(names)
    sides: tuple[Sizes, Sizes] = ({}, {})
    used = {one.name for one in new}
    for pair in same_classes(old, new):
        label = _label(pair, used)
        for values, one in zip(sides, pair, strict=True):
            if one is not None:
                values |= {f"{label}{name}": _value(one, name) for name in fields}
    return sides


def same_classes(old: Classes, new: Classes) -> list[Pair]:
    """Return each class with the one that its traffic has on the other side; None where none is.

    The nearest are taken first: of one DSCP and priority, of one name, DSCP, or priority; then any.
    """
    gone, come = list(old), list(new)
    pairs: list[Pair] = []
    for same in _SAME:
        for one in tuple(gone):
            other = next((item for item in come if same(one, item)), None)
            if other is not None:
                pairs.append((one, other))
                gone.remove(one)
                come.remove(other)
    return [*pairs, *((one, None) for one in gone), *((None, one) for one in come)]


def _by_dscp(one: LosslessClass, other: LosslessClass) -> bool:
    return not set(one.dscps).isdisjoint(other.dscps)


def _by_priority(one: LosslessClass, other: LosslessClass) -> bool:
    return one.pfc_priority == other.pfc_priority


_SAME: tuple[Same, ...] = (
    lambda one, other: _by_dscp(one, other) and _by_priority(one, other),
    lambda one, other: one.name == other.name,
    _by_dscp,
    _by_priority,
    lambda _, __: True,
)


def _label(pair: Pair, used: Iterable[str]) -> str:
    """Return what the figures of a class begin with: its name, in a list, on the second side."""
    old, new = pair
    one = new or old
    if one is None or one.number is None:
        return ""
    return f"{one.name} (removed)." if new is None and one.name in used else f"{one.name}."


def _value(one: LosslessClass, name: str) -> object:
    return " ".join(map(str, one.dscps)) if name == "roce_dscp" else getattr(one, name)
