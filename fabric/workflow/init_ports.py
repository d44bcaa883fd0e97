"""init --design: the ports of the switch models that a user names."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product, takewhile
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity, advised
from fabric.intent.platform_model import CageSplit
from fabric.platforms.breakout import misfit, offered_mode, parse_mode
from fabric.topology.hardware import split_model
from fabric.topology.naming import hint

if TYPE_CHECKING:
    from fabric.platforms.catalogue import Skus
    from fabric.platforms.model import Sku

#: The fastest port of the NICs that most clusters have: ConnectX-7, BCM57608, Pollara 400.
USUAL_NIC_GBPS = 400

#: What to do where a switch model does not exist.
OWN_MODEL = "write platforms/MODEL.yaml in the new folder first: docs/reference/models.md"


@dataclass(frozen=True)
class Ports:
    """The ports of leaves and spines that a fabric has.

    Parameters
    ----------
    leaf_ports, spine_ports : int
        Ports of a switch.
    nic_gbps, uplink_gbps : int
        Speeds.
    most_nics, most_uplinks : int
        First ports of a leaf that have the one speed, and last ports that have the other.
    port_gbps, spine_gbps : int
        The highest speed of the first port of a leaf, and of a spine.
    """

    leaf_ports: int
    spine_ports: int
    nic_gbps: int
    uplink_gbps: int
    most_nics: int
    most_uplinks: int
    port_gbps: int
    spine_gbps: int


def refusal(option: str, message: str, fix: str) -> InputError:
    """Return the error of an option."""
    finding = Finding("INT020", Severity.ERROR, message, fix, option)
    return InputError("nothing was written", [finding])


def model_of(
    name: str, split: str, skus: Skus, option: str = "--split", *, role: str = "leaf"
) -> Sku:
    """Return a model with all of its cages broken out, or whole where ``split`` is empty.

    ``option`` is the one that breaks out its cages, ``role`` the one that names it.

    Raises
    ------
    InputError
        When it does not exist, or not every cage has the breakout.
    """
    if name not in skus:
        known = hint("switch model", name, skus)
        fix = advised(known, f"else {OWN_MODEL}" if known.endswith("?") else OWN_MODEL)
        raise refusal(f"--{role}", f"unknown switch model {name!r}", fix)
    return _broken_out(skus[name], split, option) if split else skus[name]


def _splits_to(leaf: Sku, speed_gbps: int) -> bool:
    """Tell whether a whole cage has a breakout into ports of a speed."""
    return not leaf.places and any(f"x{speed_gbps}G" in mode for mode in leaf.all_breakouts)


def ports_of(leaf: Sku, spine: Sku, nic_gbps: int, nic_ports: int = 1) -> Ports:
    """Return the ports of a fabric: NICs at the first ports of a leaf, uplinks at the last.

    Without ``nic_gbps`` the ports of a NIC share the speed that most NICs have.

    Raises
    ------
    InputError
        When the leaf has no such speed, or the models share none.
    """
    offered, of_spine = _offered(leaf), _offered(spine)
    usual = [speed for speed in offered[0] if speed * nic_ports <= USUAL_NIC_GBPS]
    nics = nic_gbps or max(usual, default=min(offered[0]))
    if nics not in offered[0]:
        message = f"the first port of {leaf.name} has no speed of {nics}G"
        more = ", or --split" if _splits_to(leaf, nics) else ""
        raise refusal("--nic-gbps", message, f"choose one of: {_listed(offered[0])}{more}")
    for own, others in product(_used(offered), _used(of_spine)):
        if shared := set.intersection(own[-1], *others):
            uplinks = max(shared)
            return Ports(
                len(own),
                len(others),
                nics,
                uplinks,
                _run(own, nics),
                _run(own[::-1], uplinks),
                max(own[0]),
                max(others[0]),
            )
    message = f"the last port of {leaf.name} and all ports of {spine.name} share no speed"
    message += f": {_listed(offered[-1])}, and {_listed(set.intersection(*of_spine))}"
    raise refusal("--spine", message, "choose another model")


def unused_lines(leaf: Sku, spine: Sku, ports: Ports) -> tuple[str, ...]:
    """Return the lines of the ports that no cable can use, and of what ports could do besides."""
    models = ((leaf, ports.leaf_ports), (spine, ports.spine_ports))
    lines = []
    for model, used in models:
        if rest := _offered(model)[used:]:
            speeds = _listed(set.union(*rest))
            lines.append(
                f"Not used: the last {counted(len(rest), 'port')} of each {model.name} "
                f"({speeds}G); not all ports of the other tier have such a speed: choose another "
                "--leaf or --spine to use them."
            )
        if model.note:
            lines.append(f"{model.name}: {model.note}.")
    return tuple(dict.fromkeys(lines))


def _offered(model: Sku) -> list[set[int]]:
    """Return the speeds of each port."""
    return [{*model.speeds_of(one)} for one in range(1, model.port_count + 1)]


def _used(offered: list[set[int]]) -> tuple[list[set[int]], ...]:
    """Return all ports, then those alone that are like the first one."""
    return offered, [*takewhile(lambda speeds: speeds == offered[0], offered)]


def _listed(speeds: set[int]) -> str:
    return ", ".join(map(str, sorted(speeds))) or "none"


def _run(offered: list[set[int]], speed: int) -> int:
    """Return how many ports from the first one on have a speed."""
    return sum(1 for _ in takewhile(lambda speeds: speed in speeds, offered))


def _broken_out(model: Sku, split: str, option: str) -> Sku:
    """Return a model with all of its cages broken out."""
    kinds = [model.kind(cage) for cage in range(1, model.port_count + 1)]
    try:
        mode = parse_mode(split)
    except ValueError as error:
        message, _, fix = str(error).partition("; ")
        raise refusal(option, message, fix) from error
    words = dict.fromkeys(word.split("[")[0] for kind in kinds for word in kind.breakouts)
    if any(kind.breakouts and offered_mode(kind, split) is None for kind in kinds):
        message = f"not every cage of {model.name} has the breakout {split}"
        raise refusal(option, message, f"choose one of: {', '.join(words)}")
    for kind in kinds:
        message, fix = misfit(kind, offered_mode(kind, split) or mode)
        if message:
            raise refusal(option, f"{model.name}: {message}", fix)
    return split_model(model, [CageSplit(cages=f"1-{len(kinds)}", mode=split)])
