"""Which value of each field most ports of a device have, and most devices of a role."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from fabric.audit.adoption.traits import PRIORITIES
from fabric.audit.adoption.values import Value, known_value, value_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from fabric.audit.adoption.traits import Traits
    from fabric.intent.policy import LosslessPolicy

    #: What a port has, what it would have, and its policy.
    Port: TypeAlias = tuple[Traits, Traits, LosslessPolicy]

Fields: TypeAlias = "dict[str, Any]"


@dataclass(frozen=True)
class Voter:
    """A device that was read.

    Parameters
    ----------
    role : str
        Role of a switch, or ``host``.
    base : LosslessPolicy
        Its policy by the inventory.
    values : dict of str to Value
        What most of its ports have, by dotted field.
    """

    name: str
    role: str
    base: LosslessPolicy
    values: dict[str, Value] = field(default_factory=dict)

    def contents(self, *, exact: bool) -> Fields:
        """Return the fields whose values the policy can hold, and that were read exactly or not."""
        return {
            name: value.content
            for name, value in self.values.items()
            if value.content is not None and value.exact is exact
        }


def voter(name: str, role: str, base: LosslessPolicy, ports: Iterable[Port]) -> Voter:
    """Return a device with the values that most of its ports have.

    A port that the inventory overrides does not vote on that field. The list of a policy has its
    priorities already.
    """
    votes: dict[str, Counter[Value]] = defaultdict(Counter)
    for running, rendered, policy in ports:
        for one, trait in running.items():
            if base.classes and one == PRIORITIES:
                continue
            usual, own = known_value(base, one), known_value(policy, one)
            planned = rendered.get(one)
            if trait == planned:
                votes[one][Value(usual)] += 1
            elif own == usual:
                votes[one][value_of(one, trait, planned, usual)] += 1
    values = {one: _most(counter) for one, counter in votes.items()}
    return Voter(name, role, base, values)


def _most(counter: Counter[Value]) -> Value:
    return max(counter, key=lambda value: (counter[value], str(value)))


def majorities(voters: Collection[Voter]) -> dict[str, Fields]:
    """Return the value of each field that most devices of each role have.

    Values that were read exactly go before estimates. Of values with as many devices, that of most
    devices of the fabric is taken, then that of the inventory. The key "" holds the whole fabric.
    """
    exact = [(one, one.contents(exact=True)) for one in voters]
    estimated = [(one, one.contents(exact=False)) for one in voters]
    fabric = _winners(estimated, {}) | _winners(exact, {})
    result: dict[str, Fields] = {"": fabric}
    for role in {one.role for one in voters}:
        own = _winners([item for item in exact if item[0].role == role], fabric)
        result[role] = fabric | own
    return result


def _winners(ballots: Iterable[tuple[Voter, Fields]], fabric: Mapping[str, Any]) -> Fields:
    votes: dict[str, Counter[Any]] = defaultdict(Counter)
    usual: dict[str, set[Any]] = defaultdict(set)
    for one, fields in ballots:
        for name, content in fields.items():
            votes[name][content] += 1
            usual[name].add(known_value(one.base, name))
    return {
        name: max(
            counter,
            key=lambda value: (
                counter[value],
                value == fabric.get(name),
                value in usual[name],
                str(value),
            ),
        )
        for name, counter in votes.items()
    }
