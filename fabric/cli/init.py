"""init."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabric.cli import output
from fabric.cli.options import argument, option, was_named

if TYPE_CHECKING:
    from fabric.workflow.init_wish import Wish


class Design(StrEnum):
    """Designs that `init` sizes."""

    RAIL_OPTIMISED = "rail-optimised"
    CLASSIC_TOR = "classic-tor"


class Nic(StrEnum):
    """Drivers of NICs, as ``host.nic.driver`` has them."""

    MLX5_OFED = "mlx5-ofed"
    MLX5 = "mlx5"
    BNXT = "bnxt"
    IONIC = "ionic"


class VlanPer(StrEnum):
    """What the NICs of a new fabric are connected to: ``addressing.vlan_per``."""

    RAIL = "rail"
    NONE = "none"


_MOST_HOSTS, _MOST_RAILS, _MOST_SPINES, _MOST_GBPS = 65_536, 64, 1024, 800
#: Of the schema: ``nic_ports`` and ``planes``.
_MOST_PLANES = 2
#: Hosts up to which a new inventory is checked at once: a few seconds. Ours.
_CHECKED_HOSTS = 512
#: Options that have a meaning with --design or --ask alone.
_OF_A_SIZE = (
    *("hosts", "rails", "leaf", "spine", "split", "spine_split", "spines", "room_for"),
    *("nic_gbps", "nic", "nic_ports", "planes", "tenants", "vlan_per"),
)
#: What `init --ask` asks for, in order, with the range of a number.
_QUESTIONS: dict[str, tuple[str, tuple[int, int] | None]] = {
    "design": (f"Design ({', '.join(Design)})", None),
    "hosts": ("Hosts now", (1, _MOST_HOSTS)),
    "room_for": ("Hosts that it can grow to (0: as many as now)", (0, _MOST_HOSTS)),
    "rails": ("NICs of each host", (1, _MOST_RAILS)),
    "leaf": ("Switch model of the leaves", None),
    "spine": ("Switch model of the spines (empty: that of the leaves)", None),
    "split": ("Breakout of all cages, such as 2x400G (empty: whole ports)", None),
    "nic_gbps": ("Speed of the NIC ports in Gb/s (0: 400 a NIC at most)", (0, _MOST_GBPS)),
    "spines": ("Spines (0: the fewest without oversubscription)", (0, _MOST_SPINES)),
    "nic_ports": ("Ports of each NIC, each with its own leaf", (1, _MOST_PLANES)),
    "planes": ("Planes of spines, each with a port of every NIC", (1, _MOST_PLANES)),
    "tenants": ("Tenants that share the hosts (0: none)", (0, _MOST_HOSTS)),
    "vlan_per": (f"VLANs of the NICs ({', '.join(VlanPer)}: a routed port each)", None),
}


_CHOICES: dict[str, type[StrEnum]] = {"design": Design, "vlan_per": VlanPer}


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: rocefab init my-fabric")(init)


def init(
    context: typer.Context,
    folder: Annotated[Path, argument("New folder for the inventory.")],
    design: Annotated[
        Design | None,
        option("Size a fabric of this design; default: a small commented example.", "INIT_DESIGN"),
    ] = None,
    hosts: Annotated[
        int, option("With --design: hosts now.", "INIT_HOSTS", min=1, max=_MOST_HOSTS)
    ] = 16,
    rails: Annotated[
        int, option("With --design: NICs of each host.", "INIT_RAILS", min=1, max=_MOST_RAILS)
    ] = 8,
    leaf: Annotated[
        str, option("With --design: switch model of the leaves.", "INIT_LEAF", metavar="MODEL")
    ] = "ACS-SN5600",
    spine: Annotated[
        str,
        option(
            "With --design: switch model of spines and super-spines; default: that of the leaves.",
            "INIT_SPINE",
            metavar="MODEL",
        ),
    ] = "",
    split: Annotated[
        str,
        option(
            "With --design: breakout of all cages, such as 2x400G; default: whole ports.",
            "INIT_SPLIT",
            metavar="MODE",
        ),
    ] = "",
    spine_split: Annotated[
        str,
        option(
            "With --design: breakout of the cages of spines and super-spines alone; default: that "
            "of --split.",
            "INIT_SPINE_SPLIT",
            metavar="MODE",
        ),
    ] = "",
    spines: Annotated[
        int,
        option(
            "With --design: number of spines, in each pod where there are pods; 0: the fewest "
            "without oversubscription.",
            "INIT_SPINES",
            min=0,
            max=_MOST_SPINES,
        ),
    ] = 0,
    room_for: Annotated[
        int,
        option(
            "With --design: hosts that it can grow to without a moved cable; 0: those of --hosts.",
            "INIT_ROOM_FOR",
            min=0,
            max=_MOST_HOSTS,
        ),
    ] = 0,
    nic_gbps: Annotated[
        int,
        option(
            "With --design: speed of the NIC ports in Gb/s; 0: the highest of the leaf's ports, "
            "400 a NIC at most.",
            "INIT_NIC_GBPS",
            min=0,
            max=_MOST_GBPS,
        ),
    ] = 0,
    nic: Annotated[Nic, option("With --design: driver of the NICs.", "INIT_NIC")] = Nic.MLX5_OFED,
    nic_ports: Annotated[
        int,
        option(
            "With --design: ports of each NIC, each with its own leaf; 2: dual-ToR.",
            "INIT_NIC_PORTS",
            min=1,
            max=_MOST_PLANES,
        ),
    ] = 1,
    planes: Annotated[
        int,
        option(
            "With --design: planes of spines, each with a port of every NIC; 2: dual-plane, with "
            "two ports a NIC.",
            "INIT_PLANES",
            min=1,
            max=_MOST_PLANES,
        ),
    ] = 1,
    tenants: Annotated[
        int,
        option(
            "With --design: tenants that share the hosts, each with its own VRF.",
            "INIT_TENANTS",
            min=0,
            max=_MOST_HOSTS,
        ),
    ] = 0,
    vlan_per: Annotated[
        VlanPer,
        option(
            "With --design: rail: the NICs of a rail on a leaf share a VLAN; none: each NIC port "
            "is routed, with a /31. NICs of tenants are routed.",
            "INIT_VLAN_PER",
        ),
    ] = VlanPer.RAIL,
    ask: Annotated[bool, option("Ask for each of these values.", "INIT_ASK", "--ask")] = False,
) -> None:
    """Create a commented inventory, or one of a size.

    With --design or --ask it has the leaves, spines and cables that the hosts need. What it needs
    and what is left over is printed. The folder must be new or empty, but for own switch models in
    platforms/: --leaf and --spine can name them.

    Exit codes: 0, 2.
    """
    from fabric.workflow.init import init as start

    text, lines, overrides, count = None, "", "", 0
    if design or ask:
        from fabric.workflow.init_models import models_in
        from fabric.workflow.init_sized import refuse_models, sized_inventory
        from fabric.workflow.init_wish import Wish

        form = design or Design.RAIL_OPTIMISED
        models, numbers = (leaf, spine, split), (spines, room_for, nic_gbps)
        skus = models_in(folder)
        ports = (nic_ports, planes, tenants)
        wish = Wish(
            form.value, hosts, rails, *models, *numbers, nic.value, skus, spine_split, *ports
        )
        wish = replace(wish, vlan_per=vlan_per.value)
        wish = _asked(wish) if ask else wish
        result = sized_inventory(wish, folder.resolve().name)
        refuse_models(wish, folder)
        text, overrides, count = result.text, result.overrides, wish.hosts
        lines = "\n".join(result.lines) + "\n"
    else:
        _refuse_sizes(context)
    file = start(folder, text, overrides)
    output.data(lines)
    words = _checked(folder) if count <= _CHECKED_HOSTS else ""
    now = f": {words} now" if words else ""
    output.note(f"wrote {file}; edit it, then run `rocefab check {folder}`{now}")


def _checked(folder: Path) -> str:
    """Write the errors of a new inventory; return how many errors and warnings it has, if any."""
    from fabric.core.counts import counted
    from fabric.core.errors import InputError
    from fabric.core.findings import Severity
    from fabric.workflow.check import check
    from fabric.workflow.project import Project
    from fabric.workflow.work import work_of

    try:
        findings = check(Project(folder, work_of(None, fresh=False, workers="0"))).findings
    except InputError as error:
        findings = error.findings
    for wrong in (one for one in findings if one.severity is Severity.ERROR):
        output.result(f"error: {wrong}")
    counts = Counter(one.severity for one in findings if one.severity >= Severity.WARNING)
    return ", ".join(counted(counts[severity], severity.word) for severity in sorted(counts)[::-1])


def _refuse_sizes(context: typer.Context) -> None:
    for name in _OF_A_SIZE:
        if was_named(context, name):
            option_name = f"--{name.replace('_', '-')}"
            raise typer.BadParameter(
                "add --design or --ask: without them init writes a small example of four hosts",
                param_hint=option_name,
            )


def _asked(wish: Wish) -> Wish:
    """Return what the user answers; a value that was given is the default of its question."""
    answers: dict[str, Any] = {}
    for name, (question, limits) in _QUESTIONS.items():
        value = getattr(wish, name)

        def proper(text: str, name: str = name, limits: tuple[int, int] | None = limits) -> Any:
            return _answer(name, str(text).strip(), limits)

        answers[name] = typer.prompt(
            question, default=value, show_default=value != "", err=True, value_proc=proper
        )
    return replace(wish, **answers)


def _answer(name: str, text: str, limits: tuple[int, int] | None) -> str | int:
    choices = _CHOICES.get(name)
    if choices and text not in set(choices):
        raise typer.BadParameter(f"choose one of: {', '.join(choices)}")
    if limits is None:
        return text
    low, high = limits
    if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
        raise typer.BadParameter(f"enter a number from {low} to {high:,}")
    return int(text)
