"""What a switch system needs of the lossless policy, for inventories that are written."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Any

import yaml

from fabric.intent.policy import LosslessPolicy
from fabric.platforms.features import features_of
from fabric.qos.ecn.edge import largest_queue_bytes, percent_bytes, to_units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.platforms.features import Limit, LimitedRule
    from fabric.platforms.model import Sku


def lossless_section(models: Sequence[Sku]) -> str:
    """Return the section of what the systems accept, or warn of, any other value of."""
    section: dict[str, Any] = {}
    alike = set.intersection(*(set(_like_values(model)) for model in models))
    only = (pair for model in models for pair in needed_of(model))
    for setting, value in (*only, *sorted(alike), *_whole_percents(models)):
        *path, name = setting.split(".")
        inner = section
        for word in path:
            inner = inner.setdefault(word, {})
        inner[name] = value
    lines = indent(yaml.safe_dump(section, sort_keys=False), "  ") if section else ""
    return f"\nlossless: # what the systems need or confirm\n{lines}" if lines else ""


def needed_of(model: Sku) -> Iterator[tuple[str, Any]]:
    """Yield the fields of the policy of which one value is no finding, and not the default."""
    usual = LosslessPolicy().model_dump()
    for rule in features_of(model.nos).rules:
        for limit in rule.limits:
            if len(limit.values) == 1 and _is_needed(limit, rule):
                for field in limit.fields if limit.includes(model) else ():
                    root, _, name = field.partition(".")
                    if root == "lossless" and _at(usual, name) not in (None, limit.values[0]):
                        yield name, limit.values[0]


def _like_values(model: Sku) -> Iterator[tuple[str, Any]]:
    """Yield a field of the policy that a system takes from another one, and that one's default."""
    usual = LosslessPolicy().model_dump()
    for limit in (limit for rule in features_of(model.nos).rules for limit in rule.limits):
        if limit.equal and limit.includes(model):
            name, *_, other = (field.removeprefix("lossless.") for field in limit.fields)
            values = _at(usual, name), _at(usual, other)
            if None not in values and len(set(values)) > 1:
                yield name, values[1]


def _whole_percents(models: Sequence[Sku]) -> Iterator[tuple[str, int]]:
    """Yield the marking thresholds where all switches round them up to percents of one queue."""
    sizes = {largest_queue_bytes(model) for model in models}
    unit = features_of(models[0].nos).marking_unit
    alike = all(features_of(model.nos).marking_unit == unit for model in models)
    if not (unit.share and alike and len(sizes) == 1 and (queue_bytes := sizes.pop())):
        return
    usual = LosslessPolicy().ecn
    for name in ("kmin_bytes", "kmax_bytes"):
        percent = to_units(getattr(usual, name), unit, queue_bytes=queue_bytes)
        yield f"ecn.{name}", percent_bytes(percent, queue_bytes)


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
