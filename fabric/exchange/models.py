"""Switch models as others write them, and those of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from fabric.core.findings import Finding, Position, Severity, advised
from fabric.core.shown import closest, few, quoted
from fabric.exchange.values import folded
from fabric.intent.yaml.file import input_error
from fabric.platforms.catalogue import Skus, sku_aliases
from fabric.platforms.model import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabric.exchange.plant import Plant


def models(
    plant: Plant, known: Iterable[str], named: Mapping[str, str], source: str
) -> dict[str, str]:
    """Return the model of the catalogue for each switch whose model the source names.

    Parameters
    ----------
    known : iterable of str
        Names of the catalogue.
    named : mapping
        Name of the catalogue by the name that the source has, or by the name of a switch.

    Raises
    ------
    InputError
        With a finding for each model that is not known.
    """
    names = list(known)
    by_word = {folded(name): name for name in names} | {
        folded(word): name for word, name in named.items()
    }
    chosen, findings = {}, {}
    for name in named.values():
        if name not in names:
            findings[name] = _unknown(name, names, source)
    for device in plant.switches:
        if not device.model and device.name not in named:
            continue
        name = named.get(device.name) or by_word.get(folded(device.model), "")
        name = name or _by_other_name(device.model, names)
        if name:
            chosen[device.name] = name
        else:
            findings.setdefault(device.model, _unknown(device.model, names, source, device.name))
    if findings:
        raise input_error(list(findings.values()), source)
    return chosen


def refuse_no_words(plant: Plant, words: Iterable[str], source: str) -> None:
    """Refuse words of ``--model`` that name no role, switch or model of the source.

    Raises
    ------
    InputError
        With a finding for each of them.
    """
    own = [item.name for item in plant.switches]
    of_source = [item.model for item in plant.switches if item.model]
    known = [*get_args(Role), *own, *dict.fromkeys(of_source)]
    folds = {*map(folded, of_source)}
    findings = []
    for word in (one for one in words if one not in own and folded(one) not in folds):
        near = closest(word, known)
        fix = f"did you mean {quoted(near)}?" if near else f"use one of: {few(known)}"
        message = f"{quoted(word)} of --model is not a role, switch or model of the source"
        findings.append(Finding("EXC008", Severity.ERROR, message, fix, position=Position(source)))
    if findings:
        raise input_error(findings, source)


def model_of(word: str, system: str) -> str:
    """Return the model of a system that a word or another name of it names; empty without one."""
    known = Skus()
    name = word if word in known else _by_other_name(word, list(known))
    return name if name in known and known[name].nos == system else ""


def aliases(model: str) -> dict[str, str]:
    """Return the port of each alias, in lower case, of a model that the catalogue has."""
    known = Skus()
    return known[model].aliases() if model in known else {}


def _by_other_name(model: str, names: list[str]) -> str:
    """Return the model that has another name, such as DCS-7060DX5-64S-F; empty without one."""
    by_word = {folded(alias): name for alias, name in sku_aliases().items() if name in names}
    return by_word.get(folded(model), "")


def _unknown(model: str, names: list[str], source: str, device: str = "") -> Finding:
    near = closest(model, names)
    fix = (
        f"set it with --model {quoted(model)[1:-1]}={near or 'NAME'}"
        if device
        else f"did you mean {near}?"
        if near
        else "choose another one with --model"
    )
    return Finding(
        "EXC009",
        Severity.ERROR,
        f"the switch model {quoted(model)} is not in the catalogue",
        advised(fix, "`rocefab show platforms` lists the names"),
        position=Position(source),
        device=device,
    )
