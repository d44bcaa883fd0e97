"""show dcqcn --settings: a parameter set as the NIC and the switch are told it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.qos.dcqcn.registers import settings
from fabric.workflow.show_dcqcn import kinds, parameters_of
from fabric.workflow.table import Table

if TYPE_CHECKING:
    from fabric.qos.dcqcn.registers import Place
    from fabric.workflow.project import Project
    from fabric.workflow.show_dcqcn import Question

#: Unit of the byte counter that is not confirmed; a set with the counter off needs none of it.
BYTE_COUNTER_UNIT_BYTES = 64
_HEADERS = ("gbps", "where", "name", "value", "note")


def dcqcn_settings(project: Project, question: Question, place: Place) -> Table:
    """Return the figures for the NIC, and beside them those of the switch that belong to them.

    Raises
    ------
    InputError
        When there is no such set, or a figure does not fit the register of the NIC.
    """
    rows: list[tuple[object, ...]] = []
    seen = set()
    for kind in kinds(project):
        try:
            chosen = parameters_of(kind, question)
            told = settings(chosen, place, BYTE_COUNTER_UNIT_BYTES)
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
        rows += [(kind.speed_gbps, "switch", *pair, "belongs to this set") for pair in own]
        rows += [(kind.speed_gbps, "NIC", item.name, item.value, item.note) for item in told]
    return Table(_HEADERS, tuple(rows))
