"""The lossless classes of a policy: one by its plain fields, or several by its list."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.intent.policy import ClassPolicy, LosslessPolicy, merge

if TYPE_CHECKING:
    from fabric.intent.policy import EcnPolicy

#: Fields that describe the one lossless class of a policy without ``classes``.
ONE_CLASS = frozenset({"roce_dscp", "pfc_priority", "traffic_class", "queue", "priority_group"})
#: Name of that class.
ONE_CLASS_NAME = "lossless"
#: Fields of ``ecn`` that say where marking begins and ends.
THRESHOLDS = frozenset({"kmin_bytes", "kmax_bytes"})
#: What a class of the list calls its fields, by the names of a policy without one.
LISTED = {"roce_dscp": "dscps", "scheduler.lossless_percent": "scheduler_percent"}


@dataclass(frozen=True, slots=True)
class LosslessClass:
    """A lossless class with every number decided.

    Parameters
    ----------
    dscps : tuple of int
        DSCPs of its data, 0 to 63; hosts send with the first.
    percent : int
        Share of its queue.
    own_thresholds : bool
        Whether the inventory says both marking thresholds; else they are defaults of rocefab.
    number : int or None
        Its place in the list; None where the policy has no list.
    """

    name: str
    dscps: tuple[int, ...]
    pfc_priority: int
    traffic_class: int
    queue: int
    priority_group: int
    percent: int
    kmin_bytes: int
    kmax_bytes: int
    pmax_percent: int
    own_thresholds: bool
    own_ecn: frozenset[str] = frozenset()
    number: int | None = None

    @property
    def roce_dscp(self) -> int:
        """DSCP that hosts send with."""
        return self.dscps[0]

    @property
    def title(self) -> str:
        """What a message about the class begins with; empty where there is no list."""
        return "" if self.number is None else f"class {self.name}: "

    def field(self, name: str) -> str:
        """Return where the inventory sets a value of the class, below ``lossless``.

        Parameters
        ----------
        name : str
            Dotted field of a policy without a list, such as ``queue`` or ``ecn.kmin_bytes``.
        """
        group, _, last = name.rpartition(".")
        shared = group == "ecn" and last not in self.own_ecn
        if self.number is None or shared:
            return name
        return f"classes.{self.number}.{LISTED.get(name, name)}"

    def value(self, name: str) -> object:
        """Return the value of such a field."""
        own = {"roce_dscp": "dscps", "scheduler.lossless_percent": "percent"}
        return getattr(self, own.get(name, name.rpartition(".")[2]))


def lossless_classes(policy: LosslessPolicy) -> tuple[LosslessClass, ...]:
    """Return the lossless classes of a policy, the default of the hosts first."""
    written = policy.classes or (_the_one(policy),)
    shares = _equal_shares(policy.scheduler.lossless_percent, len(written))
    return tuple(
        _decided(one, policy.ecn, share, number if policy.classes else None)
        for number, (one, share) in enumerate(zip(written, shares, strict=True))
    )


def _the_one(policy: LosslessPolicy) -> ClassPolicy:
    return ClassPolicy(
        name=ONE_CLASS_NAME,
        dscps=(policy.roce_dscp,),
        pfc_priority=policy.pfc_priority,
        traffic_class=policy.traffic_class,
        queue=policy.queue,
        priority_group=policy.priority_group,
    )


def _equal_shares(percent: int, parts: int) -> list[int]:
    """Return whole parts of a share; the first ones take what does not divide."""
    return [percent // parts + (number < percent % parts) for number in range(parts)]


def _decided(
    one: ClassPolicy, shared: EcnPolicy, share_percent: int, number: int | None
) -> LosslessClass:
    ecn = merge(shared, one.ecn)

    def or_priority(value: int | None) -> int:
        return one.pfc_priority if value is None else value

    return LosslessClass(
        name=one.name,
        dscps=one.dscps,
        pfc_priority=one.pfc_priority,
        traffic_class=or_priority(one.traffic_class),
        queue=or_priority(one.queue),
        priority_group=or_priority(one.priority_group),
        percent=share_percent if one.scheduler_percent is None else one.scheduler_percent,
        kmin_bytes=ecn.kmin_bytes,
        kmax_bytes=ecn.kmax_bytes,
        pmax_percent=ecn.pmax_percent,
        own_thresholds=ecn.model_fields_set >= THRESHOLDS,
        own_ecn=frozenset(one.ecn.model_fields_set if one.ecn else ()),
        number=number,
    )


def before_list(policy: LosslessPolicy) -> LosslessPolicy:
    """Return a policy without the single fields, which the list of a later override replaces."""
    kept = policy.model_fields_set - ONE_CLASS
    return LosslessPolicy(**{name: getattr(policy, name) for name in kept})


def class_values(policy: LosslessPolicy, name: str) -> object:
    """Return the value of a dotted field of a policy, of all its classes where it has a list."""
    if name not in ONE_CLASS or not policy.classes:
        value: object = attrgetter(name)(policy)
        return value
    return ", ".join(str(one.value(name)) for one in lossless_classes(policy))


def class_named(classes: tuple[LosslessClass, ...], name: str | None, whose: str) -> LosslessClass:
    """Return a class by its name; the first without one.

    Parameters
    ----------
    classes : tuple of LosslessClass
        At least one.
    whose : str
        Whose classes they are, for the message.

    Raises
    ------
    InputError
        When there is no such class.
    """
    chosen = [one for one in classes if name in (None, one.name)]
    if not chosen:
        known = ", ".join(one.name for one in classes)
        raise InputError(f"{whose} has no lossless class {name!r}; it has {known}")
    return chosen[0]
