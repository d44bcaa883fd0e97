"""Which switch model stands where, with its cages broken out as the inventory asks."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.core.findings import Finding, Severity
from fabric.core.shown import field_text
from fabric.intent.platform_model import CageSplit
from fabric.intent.scalars import cage_numbers
from fabric.platforms.breakout import broken_out, fits, misfit, offered_mode, parse_mode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fabric.core.findings import Position
    from fabric.intent.inventory import Intent
    from fabric.platforms.cage import CageKind, Mode
    from fabric.platforms.model import Role, Sku


def role_model(intent: Intent, role: Role) -> Sku:
    """Return the model of a role; its ports are counted after the cages were broken out."""
    platform = intent.fabric.platforms.of(role)
    if platform is None:
        raise LookupError(f"the inventory does not set the platform of a {role}")
    return split_model(_running(intent.skus[platform.sku], platform.release), platform.breakouts)


def unit_models(intent: Intent) -> list[Sku]:
    """Return the model of the leaves of each unit; one that a unit names has whole cages."""
    platform, usual = intent.fabric.platforms.leaf, role_model(intent, "leaf")
    models = []
    for unit in intent.fabric.units:
        model = intent.skus[unit.leaf_sku] if unit.leaf_sku else usual
        models.append(_running(model, platform.release) if model.nos == usual.nos else model)
    return models


def device_models(intent: Intent, names: Sequence[str], usual: Iterable[Sku]) -> tuple[Sku, ...]:
    """Return the model of each switch: the usual one, or what its overrides make of it.

    A model that an override names has the cages broken out that overrides name, else those of the
    usual one; `lost_splits` tells which it does not offer.
    """
    return tuple(
        _device_model(intent, name, model) if name in intent.device_overrides else model
        for name, model in zip(names, usual, strict=True)
    )


def _device_model(intent: Intent, name: str, of_role: Sku) -> Sku:
    model, splits, release = of_role, None, None
    for override in intent.device_overrides[name]:
        if override.value.sku is not None and override.value.sku in intent.skus:
            model = intent.skus[override.value.sku]
        release = override.value.release or release
        if override.value.breakouts is not None:
            splits = override.value.breakouts
    if splits is None and model is not of_role:
        splits = tuple(_splits(of_role))
    model = _running(model, release)
    return model if splits is None else split_model(model.whole, splits)


def lost_splits(intent: Intent, names: Sequence[str], usual: Iterable[Sku]) -> Iterator[Finding]:
    """Yield a finding for each override whose model cannot be broken out as the usual one is."""
    seen: set[tuple[str | int, ...]] = set()
    for name, of_role in zip(names, usual, strict=True):
        overrides = intent.device_overrides.get(name, [])
        if any(override.value.breakouts is not None for override in overrides):
            continue
        for override in overrides:
            lost = _lost(intent, override.value.sku, of_role)
            if lost and override.path not in seen:
                seen.add(override.path)
                message = f"{override.value.sku} has no {lost}, unlike the model that it replaces"
                fix = "set the breakouts of this switch; breakouts: [] uses whole ports"
                field, place = override.field("sku"), override.position("sku")
                yield Finding("TOP007", Severity.ERROR, message, fix, field, place)


def _splits(model: Sku) -> list[CageSplit]:
    """Return how the cages of a model are broken out."""
    modes = {place.cage: place.mode for place in model.places if place.mode}
    return [CageSplit(cages=str(cage), mode=_head(mode)) for cage, mode in modes.items()]


def _head(mode: Mode) -> str:
    return f"{mode.parts}x{mode.speeds_gbps[0]}G"


def _lost(intent: Intent, name: str | None, of_role: Sku) -> str:
    """Return the first breakout of a model that another does not offer, in words."""
    if name is None or name not in intent.skus:
        return ""
    model = intent.skus[name]
    for split in _splits(of_role):
        kind = model.kind(cage_numbers(split.cages)[0])
        offered = offered_mode(kind, split.mode) or not kind.breakouts
        if not offered or next(_problems(model, [split]), None):
            return f"cage {split.cages} as {split.mode}"
    return ""


def planned_release(intent: Intent, name: str, role: Role) -> str:
    """Return the release that the inventory plans for a switch; empty where it says none."""
    overrides = [override.value for override in intent.device_overrides.get(name, ())]
    own = next((one.release for one in reversed(overrides) if one.release), None)
    platform = intent.fabric.platforms.of(role)
    if own or platform is None or any(one.sku for one in overrides):
        return own or ""
    return platform.release or ""


@lru_cache(maxsize=256)
def _running(model: Sku, release: str | None) -> Sku:
    """Return a model with the release that runs on it, where the inventory says one."""
    return replace(model, facts={**model.facts, "release": release}) if release else model


def split_model(model: Sku, splits: Iterable[CageSplit]) -> Sku:
    """Return a model with cages broken out; splits that cannot be are left out."""
    modes: dict[int, Mode] = {}
    for split in splits:
        for cage in cage_numbers(split.cages):
            mode = _mode(model.kind(cage), split)
            if fits(model.kind(cage), mode):
                modes[cage] = mode
    return broken_out(model, modes)


def split_findings(
    model: Sku,
    splits: Iterable[CageSplit],
    path: tuple[str | int, ...],
    position: Callable[[int], Position],
) -> list[Finding]:
    """Return what cannot be broken out as asked (TOP007).

    Parameters
    ----------
    model : Sku
        The model that the cages are on.
    splits : iterable of CageSplit
        What is asked for.
    path : tuple of str or int
        Field that holds them.
    position : callable
        From the index of a split to its position.
    """
    return [
        Finding("TOP007", Severity.ERROR, message, fix, field_text((*path, index)), position(index))
        for index, message, fix in _problems(model, splits)
    ]


def _mode(kind: CageKind, split: CageSplit) -> Mode:
    return offered_mode(kind, split.mode) or parse_mode(split.mode)


def _problems(model: Sku, splits: Iterable[CageSplit]) -> Iterator[tuple[int, str, str]]:
    last = model.whole.port_count
    taken: set[int] = set()
    for index, split in enumerate(splits):
        numbers = cage_numbers(split.cages)
        if max(numbers) > last:
            message = f"{model.name} has no cage {max(numbers)}; its last is {last}"
            yield index, message, "use existing cages"
        if taken & {*numbers} or len({*numbers}) < len(numbers):
            yield index, "a cage has two breakout entries", "list each cage once"
        kinds = {id(kind): kind for kind in map(model.kind, numbers)}.values()
        if any(not kind.part_name for kind in kinds):
            message = f"the breakout port names of {model.name} are not known"
            yield index, message, "use whole ports, or set ports.part_name in platforms/*.yaml"
        misfits = (misfit(kind, _mode(kind, split)) for kind in kinds)
        if found := next(filter(any, misfits), None):
            yield index, *found
        taken |= {*numbers}
