"""What a switch system needs of the lossless policy, for inventories that are written."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from textwrap import indent, wrap
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from fabric.design.comparisons import verdict
from fabric.design.pool import CONGESTED_PORTS, PauseThreshold
from fabric.design.qos import own_levels
from fabric.intent.policy import LosslessPolicy
from fabric.platforms import platforms
from fabric.platforms.features import features_of
from fabric.qos.ecn.edge import (
    base_words,
    largest_queue_bytes,
    percent_bytes,
    to_units,
    unmarked,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.platforms.features import Limit, LimitedRule
    from fabric.platforms.model import Sku

#: Fields of the policy by their dotted names.
Values: TypeAlias = "dict[str, Any]"
#: Of comments, before indentation and their sign.
_WIDTH = 96
#: The condition of a limit that ports of hosts alone meet, as ``Limit.when`` has it.
_SWITCHED = ("switched ports",)
_KMIN = "ecn.kmin_bytes"
_HEAD = """\
# yaml-language-server: $schema=../.devices.schema.json
#
# What the ports of hosts need, and the other end of the uplinks does not take. Ports and
# leaves that get hosts later need it too: add them here.
"""


@dataclass(frozen=True)
class Needs:
    """What the systems of a fabric need of the policy: fields by their dotted names.

    Parameters
    ----------
    fabric : dict
        What all switches take.
    leaf, spine : dict
        What the one role needs and the other one does not take; super-spines are as spines.
    host_ports : dict
        The same of the leaves, where only the ports of hosts need it.
    reasons : tuple of str
        Why thresholds are not the defaults.
    """

    fabric: Values = field(default_factory=dict)
    leaf: Values = field(default_factory=dict)
    spine: Values = field(default_factory=dict)
    host_ports: Values = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


def needs_of(leaf: Sku, spine: Sku) -> Needs:
    """Return what a fabric of two switch models needs."""
    needs = Needs(reasons=tuple(dict.fromkeys([*_reasons(leaf), *_reasons(spine)])))
    roles = {"leaf": (leaf, needs.leaf), "spine": (spine, needs.spine)}
    for role, (model, values) in roles.items():
        for name, value, limit in _limited(model):
            if all(_takes(other, at, name, value) for at, (other, _) in roles.items()):
                needs.fabric[name] = value
            elif _holds(limit, role):
                (needs.host_ports if limit.when == _SWITCHED else values)[name] = value
    needs.fabric.update(sorted({*_like_values(leaf)} & {*_like_values(spine)}))
    thresholds = {role: dict(_thresholds(model)) for role, (model, _) in roles.items()}
    if thresholds["leaf"] == thresholds["spine"]:
        needs.fabric.update(thresholds["leaf"])
    else:
        needs.leaf.update(thresholds["leaf"])
        needs.spine.update(thresholds["spine"])
    return needs


def nested(values: Values) -> dict[str, Any]:
    """Return values by dotted names as sections."""
    document: dict[str, Any] = {}
    for setting, value in values.items():
        *path, name = setting.split(".")
        inner = document
        for word in path:
            inner = inner.setdefault(word, {})
        inner[name] = value
    return document


def lossless_section(needs: Needs) -> str:
    """Return the section of the policy in ``fabric.yaml``, with its reasons."""
    values = needs.fabric
    lines = indent(yaml.safe_dump(nested(values), sort_keys=False), "  ") if values else ""
    reasons = indent(comments(needs, values), "  ")
    head = "\nlossless: # these switches need these values; all others have defaults\n"
    return f"{head}{reasons}{lines}" if lines else ""


def comments(needs: Needs, *parts: Values) -> str:
    """Return the reasons of thresholds as lines, where a part of the inventory has thresholds."""
    has_thresholds = any(_KMIN in part for part in parts)
    return "".join(f"# {reason}\n" for reason in needs.reasons) if has_thresholds else ""


def release_hints(*models: Sku) -> str:
    """Return the releases whose lines switches get, where lines depend on them, as comments."""
    releases = {
        model.nos: model.release
        for model in models
        if model.release and platforms[model.nos].releases
    }
    return "".join(
        f"# Lines are those of {platforms[nos].title} {release}. Where another one runs, "
        f'add to the role: release: "{platforms[nos].releases[-1]}"\n'
        for nos, release in releases.items()
    )


def in_braces(values: Values) -> str:
    """Return the policy of a role, to stand behind its other fields."""
    return f", lossless: {_flow(values)}" if values else ""


def host_port_file(leaves: Iterable[tuple[str, Iterable[str]]], values: Values) -> str:
    """Return ``devices/leaves.yaml``: what the ports of hosts alone need.

    Parameters
    ----------
    leaves : iterable of (str, iterable of str)
        Names of leaves, as a range, and of their ports that have hosts.
    """
    lines = "".join(
        f"  - names: {names}\n    ports:\n"
        + "".join(f"      {port}: {{lossless: {_flow(values)}}}\n" for port in ports)
        for names, ports in leaves
    )
    return f"{_HEAD}devices:\n{lines}" if values else ""


def _flow(values: Values) -> str:
    text = yaml.safe_dump(nested(values), default_flow_style=True, sort_keys=False, width=math.inf)
    return text.strip()


def needed_of(model: Sku) -> Iterator[tuple[str, Any]]:
    """Yield the fields of the policy of which one value is no finding, and not the default."""
    for name, value, _ in _limited(model):
        yield name, value


def _limited(model: Sku) -> Iterator[tuple[str, Any, Limit]]:
    usual = LosslessPolicy().model_dump()
    for rule in features_of(model.nos).rules:
        for limit in rule.limits:
            if len(limit.values) == 1 and _is_needed(limit, rule):
                for path in limit.fields if limit.includes(model) else ():
                    root, _, name = path.partition(".")
                    if root == "lossless" and _at(usual, name) not in (None, limit.values[0]):
                        yield name, limit.values[0], limit


def _holds(limit: Limit, role: str) -> bool:
    """Tell whether a limit holds for a role: only leaves have switched ports."""
    return role == "leaf" or _SWITCHED[0] not in limit.when


def _takes(model: Sku, role: str, name: str, value: Any) -> bool:
    """Tell whether a switch of a role takes a value of the policy without a warning."""
    low, high = platforms[model.nos].port_mtu_bytes
    if name == "mtu.port_bytes" and not low <= value <= high:
        return False
    return not any(
        f"lossless.{name}" in limit.fields
        and (limit.severity or rule.severity) != "info"
        and not (limit.equal or limit.per_switch or limit.multiple_of)
        and limit.includes(model, role)
        and _holds(limit, role)
        and verdict(limit, value)
        for rule in features_of(model.nos).rules
        for limit in rule.limits
    )


def _like_values(model: Sku) -> Iterator[tuple[str, Any]]:
    """Yield a field of the policy that a system takes from another one, and that one's default."""
    usual = LosslessPolicy().model_dump()
    for fields in features_of(model.nos).taken_from(model).items():
        name, other = (field.removeprefix("lossless.") for field in fields)
        values = _at(usual, name), _at(usual, other)
        if None not in values and len(set(values)) > 1:
            yield name, values[1]


def _thresholds(model: Sku) -> Iterator[tuple[str, int]]:
    """Yield the marking thresholds that a switch gets only where the inventory has them.

    Where a switch rounds them up to percents of its one queue, they are whole percents; where it
    takes, or pauses after, other ones, they are in its range.
    """
    unit, queue_bytes = features_of(model.nos).marking_unit, largest_queue_bytes(model)
    usual, limits = LosslessPolicy().ecn, _before_pause(model)
    for name in ("kmin_bytes", "kmax_bytes"):
        default = getattr(usual, name)
        value = _in_range(model, f"lossless.ecn.{name}", default)
        value = min(value, limits.get(name, value))
        if unit.share and queue_bytes:
            percent = to_units(value, unit, queue_bytes=queue_bytes)
            yield f"ecn.{name}", percent_bytes(percent, queue_bytes)
        elif value != default or (unit.written and not any(unmarked(model, own_thresholds=True))):
            yield f"ecn.{name}", value


def _in_range(model: Sku, field: str, value: int) -> int:
    """Return the value that is nearest to one and in every range of a system for a field."""
    for rule in features_of(model.nos).rules:
        for limit in rule.limits:
            if field in limit.fields and limit.range and limit.includes(model):
                low, high = limit.range
                value = int(min(max(value, low), high))
    return value


def _before_pause(model: Sku) -> dict[str, int]:
    """Return the highest thresholds that a switch with fixed fill levels reaches before a pause.

    Kmin also where one port feeds `CONGESTED_PORTS`.
    """
    levels = own_levels(model)
    if levels is None:
        return {}
    limit = PauseThreshold.fixed(levels).ecn_limit_bytes(CONGESTED_PORTS)
    return {"kmin_bytes": math.ceil(limit) - 1, "kmax_bytes": levels.pause_bytes - 1}


def _reasons(model: Sku) -> Iterator[str]:
    levels = own_levels(model)
    if levels:
        yield (f"{model.name} pauses a sender at {levels.pause_bytes:,} bytes; these mark before.")
    yield from wrap(base_words(model), _WIDTH)


def _is_needed(limit: Limit, rule: LimitedRule) -> bool:
    """Tell whether another value is an error, or a warning; what a system lacks stays on."""
    severity = limit.severity or rule.severity
    return severity == "error" or (severity == "warning" and limit.values[0] is not False)


def _at(document: dict[str, Any], field: str) -> Any:
    """Return a value of a document, None where there is none."""
    value: Any = document
    for word in field.split("."):
        value = value.get(word) if isinstance(value, dict) else None
    return value
