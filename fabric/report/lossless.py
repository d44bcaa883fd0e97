"""show deadlock, show cable, show dcqcn --settings, and what DCQCN needs to know of a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.design.configured import not_configured
from fabric.qos.dcqcn.registers import settings
from fabric.qos.path import longest_path, round_trip_s
from fabric.report.dcqcn import Question, parameters_of
from fabric.report.deadlock import further
from fabric.report.table import Table
from fabric.topology.device_ends import ends_of
from fabric.validate.cable import cable_of
from fabric.validate.world import model_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.design.designs import Designs
    from fabric.qos.dcqcn.registers import Place
    from fabric.report.dcqcn import Kind
    from fabric.validate.cable import Cable


#: Unit of the byte counter that is not confirmed; a set with the counter off needs none of it.
BYTE_COUNTER_UNIT_BYTES = 64
_SETTINGS_HEADERS = ("gbps", "where", "name", "value", "note")
_CABLE_HEADERS = ("item", "host", "switch", "verdict", "rule", "note")


def question(designs: Designs, parameters: str) -> Question:
    """Return how the ports of a fabric are looked at with a parameter set of the NICs.

    Raises
    ------
    InputError
        When no host is connected, so that there is no path.
    """
    hops = longest_path(designs.fabric)
    if not hops:
        raise InputError("no path: every NIC in the inventory is disabled")
    return Question(
        parameters=parameters,
        round_trip_s=round_trip_s(hops),
    )


def dcqcn_settings(ports: Sequence[Kind], question: Question, place: Place) -> Table:
    """Return the figures for the NIC, and beside them those of the switch that belong to them.

    Raises
    ------
    InputError
        When there is no such set, or a figure does not fit the register of the NIC.
    """
    rows: list[tuple[object, ...]] = []
    seen = set()
    for kind in ports:
        try:
            chosen = parameters_of(kind, question)
            values = settings(chosen, place, BYTE_COUNTER_UNIT_BYTES)
        except ValueError as error:
            raise InputError(str(error)) from error
        switch = chosen.congestion_point
        key = (kind.speed_gbps, switch)
        if key in seen:
            continue
        seen.add(key)
        own = (
            ("ecn.kmin_bytes", switch.kmin_bytes),
            ("ecn.kmax_bytes", switch.kmax_bytes),
            ("ecn.pmax_percent", switch.pmax_percent),
        )
        lack = f"; {not_configured(kind.no_pmax)} on the switch" if kind.no_pmax else ""
        notes = ("belongs to this set",) * 2 + (f"belongs to this set{lack}",)
        rows += [
            (kind.speed_gbps, "switch", *pair, note) for pair, note in zip(own, notes, strict=True)
        ]
        rows += [(kind.speed_gbps, "NIC", item.name, item.value, item.note) for item in values]
    return Table(_SETTINGS_HEADERS, tuple(rows))


def deadlock(designs: Designs) -> Table:
    """Return what was looked at, and the first cycle or bounce that was found."""
    from fabric.qos.deadlock import prove

    proof = prove(designs.fabric, designs.resolver)
    answer = "no cyclic buffer dependency" if proof.free else "cyclic buffer dependency"
    rows: list[tuple[str, object]] = [
        ("answer", answer),
        ("lossless buffers", proof.vertices),
        ("single failures checked", proof.failures_checked),
    ]
    if proof.cycle:
        rows.append(("after the failure of", proof.failure or "none: it exists without a failure"))
        rows += [("waits for the next", str(channel)) for channel in proof.cycle.channels]
    if proof.bounce:
        when = f" after {proof.bounce.failure}" if proof.bounce.failure else ""
        rows.append(("leaf between spines", f"{proof.bounce.leaf}{when}"))
    rows += further(designs, free=proof.free)
    return Table(("item", "value"), tuple(rows))


def cable(designs: Designs, host: str, interface: str) -> Table:
    """Return one row for each thing that both ends of the cable of a NIC are told.

    `fabric.validate.cable.VERDICTS` says what each verdict is.

    Raises
    ------
    InputError
        When there is no such host, or it has no such interface.
    """
    if host not in designs.hosts:
        raise _unknown(f"host {host!r} does not exist", "`rocefab show hosts` lists them")
    compared = cable_at(designs, host, interface)
    if compared is None:
        names = ", ".join(nic.interface for nic in designs.hosts[host].nics)
        what = f"{host} has no fabric NIC {interface!r}" if interface else f"which NIC of {host}?"
        raise _unknown(what, f"its NICs are {names}")
    rows = tuple(
        (line.item, line.host, line.switch, line.verdict, line.rule or "-", line.note or "-")
        for line in compared.lines()
    )
    return Table(_CABLE_HEADERS, rows)


def cable_at(designs: Designs, device: str, port: str) -> Cable | None:
    """Return the NIC cable that ends in a port of a host or leaf; None where there is none."""
    ends = ends_of(designs.fabric, device)
    row = next((end.row for end in ends if end.is_nic and end.port == port), None)
    return None if row is None else cable_of(model_of(designs), row)


def _unknown(message: str, fix: str) -> InputError:
    return InputError("cable not found", [Finding("CAB001", Severity.ERROR, message, fix)])
