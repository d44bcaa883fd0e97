"""What fails with a link, a switch or a rack, for the service and for assistants."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.report.singles import singles
from fabric.report.whatif import whatif
from fabric.topology.clos import clos, lost_cables
from fabric.topology.outages import outage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.serve.map import Drawn
    from fabric.serve.requests import WhatIfBody
    from fabric.topology.model import Fabric
    from fabric.workflow.project import Project


def unclear(wanted: WhatIfBody) -> Finding | None:
    """Return what is wrong with a question, or None."""
    every = wanted.all_links or wanted.all_switches
    if every and wanted.drain:
        message = "a drain cannot be ranked with all links or switches"
        fix = "omit drain, or all_links and all_switches"
        return Finding("SRV004", Severity.ERROR, message, fix, field="drain")
    if every or wanted.drain or wanted.fail:
        return None
    fix = "add fail, drain, all_links or all_switches"
    return Finding("SRV004", Severity.ERROR, "nothing fails", fix, field="fail")


def whatif_answer(project: Project, wanted: WhatIfBody) -> dict[str, Any]:
    """Return what `rocefab whatif --format json` prints.

    Raises
    ------
    InputError
        When the question is not clear, or a name is unknown; findings name the field.
    """
    if finding := unclear(wanted):
        raise InputError("the question is not clear", [finding])
    drained = [f"switch:{wanted.drain}"] if wanted.drain else []
    refuse_unknown(project.fabric, {"fail": wanted.fail, "drain": drained})
    if wanted.all_links or wanted.all_switches:
        links, switches = wanted.all_links, wanted.all_switches
        return singles(project, wanted.fail, links=links, switches=switches).as_dict()
    return whatif(project, wanted.fail, drain=wanted.drain, rules=wanted.rules).as_dict()


def refuse_unknown(fabric: Fabric, words_by_field: Mapping[str, Sequence[str]]) -> None:
    """Raise InputError for words that name nothing, with the field of a request that has them."""
    findings = []
    for field, words in words_by_field.items():
        try:
            outage(fabric, words)
        except InputError as error:
            findings += [replace(one, field=field) for one in error.findings]
    if findings:
        raise InputError(f"{counted(len(findings), 'error')} in the list of failures", findings)


def failing(fabric: Fabric, drawn: Drawn, words: Sequence[str]) -> dict[str, Any]:
    """Return the devices that fail, and of each line of a picture how many cables.

    Raises
    ------
    InputError
        When a name is unknown; findings name the field, which is `fail`.
    """
    refuse_unknown(fabric, {"fail": words})
    lost = outage(fabric, words)
    cables, nics = lost_cables(clos(fabric), lost)
    lines = drawn.nic_line[nics[drawn.part.nics]], drawn.cable_line[cables[drawn.part.cables]]
    tables = (fabric.switches.names, lost.switches), (fabric.hosts.names, lost.hosts)
    return {
        "devices": [names[row] for names, gone in tables for row in np.flatnonzero(gone).tolist()],
        "lines": np.bincount(np.concatenate(lines), minlength=drawn.lines).tolist(),
    }
