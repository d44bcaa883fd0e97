"""SONiC: rows and fields of CONFIG_DB.

Fields that orchagent applies in place are set by ``config load``; what ``config apply-patch`` of
the switch lets through goes that way; only the rest takes ``config reload``, a restart of the
services.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from fabric.change.adapter import Draft, adapters
from fabric.change.model import Change
from fabric.change.model import Risk as Risk
from fabric.change.scope import notes
from fabric.devices.candidate import Files, RemoteFile
from fabric.devices.redaction import SECRET_FIELD, redacted
from fabric.platforms.buffers import SELF_MADE_PROFILE
from fabric.render.scope import has_tenants, is_merged
from fabric.systems.sonic.adapters import kernel
from fabric.systems.sonic.adapters.config import (
    compose,
    differences,
    other_vrfs,
    without_reclaimed,
)
from fabric.systems.sonic.adapters.foreign import ConfigDb as ConfigDb
from fabric.systems.sonic.adapters.foreign import conflicts
from fabric.systems.sonic.adapters.scope import merged
from fabric.systems.sonic.adapters.steps import way
from fabric.systems.sonic.gcu import Updater, asic_of
from fabric.systems.sonic.ownership import Cell, risk
from fabric.systems.sonic.platforms import EARLIER_SYSCTL_PATH, SYSCTL_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.core.artefact import Artefact
    from fabric.devices.candidate import SonicCandidate
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running
    from fabric.systems.sonic.adapters.way import Way


class SonicAdapter:
    """Changes SONiC switches."""

    def files(self, artefacts: Sequence[Artefact]) -> list[str]:
        """Return the path of the neighbour settings, and the one that they had before."""
        paths = (SYSCTL_PATH, EARLIER_SYSCTL_PATH)
        return [path for item in artefacts if item.kind == "sysctl" for path in paths]

    def subjects(self, artefacts: Sequence[Artefact]) -> list[str]:
        """Return the running values of the neighbour settings: a file sets them, once, at boot."""
        return ["kernel" for item in artefacts if item.kind == "sysctl"]

    def draft(
        self,
        running: Running,
        artefacts: Sequence[Artefact],
        driver: Driver,  # noqa: ARG002 - SONiC makes no diff of its own
    ) -> Draft:
        """Compare CONFIG_DB and the neighbour settings."""
        intended = json.loads(_only(artefacts, "config_db").text)
        stays: tuple[str, ...] = ()
        blocked: tuple[str, ...] = ()
        tenants = has_tenants(artefacts)
        vrfs = other_vrfs(running.config, intended, tenants=tenants)
        if is_merged(artefacts):
            intended, others, blocked = merged(running.config, intended, tenants=tenants)
            stays = notes(others, "|")
        asic = asic_of(updater(running), running.config)
        target = without_reclaimed(running.config, compose(running.config, intended, vrfs), asic)
        cells = differences(running.config, target)
        steps = way(running.config, target, updater(running))
        changes = [
            Change("|".join(cell), _show(cell, old), _show(cell, new), _risk(cell, steps))
            for cell, old, new in cells
        ]
        beside, kernel_changes = kernel.draft(running, artefacts)
        return Draft(
            candidate=steps.candidate(beside),
            changes=(*changes, *kernel_changes),
            diff="\n".join([*_lines(cells), *kernel.lines(kernel_changes)]),
            notes=(*stays, *(steps.notes() if cells else ())),
            conflicts=(*blocked, *(conflicts(running.config, target) if cells else ())),
            target=target if cells else None,
        )

    def restore(self, before: Running, now: Running) -> SonicCandidate:
        """Return the gentlest rollback."""
        files = tuple(
            RemoteFile(path, text.encode())
            for path, text in before.files.items()
            if now.files.get(path) != text
        )
        beside = Files(
            files=files,
            remove=tuple(path for path in now.files if path not in before.files),
            activate=kernel.settings(_apart(before.kernel, now.kernel)),
            restore=kernel.settings(_apart(now.kernel, before.kernel)),
        )
        steps = way(now.config, before.config, updater(now))
        return steps.candidate(beside, ran_before=True)

    def effects(self, artefacts: Sequence[Artefact]) -> set[str]:  # noqa: ARG002
        """Return nothing: what changes is what the rows and files say."""
        return set()

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return what differs, without the profiles that the switch makes.

        Kernel parameters of an interface come and go with its VLAN.
        """
        cells = [cell for cell, _, _ in differences(left.config, right.config)]
        fields = {redacted("|".join(cell)) for cell in cells if not _is_self_made(cell)}
        names = {*left.files, *right.files}
        files = {name for name in names if left.files.get(name) != right.files.get(name)}
        lasting = left.kernel.keys() & right.kernel.keys()
        return (
            fields | files | {name for name in lasting if left.kernel[name] != right.kernel[name]}
        )


def updater(running: Running) -> Updater:
    """Return the updater of a switch."""
    row = running.config.get("DEVICE_METADATA", {}).get("localhost", {})
    system = running.system
    return Updater(
        str(row.get("hwsku", "")), system.get("release", ""), system.get("asic_type", "")
    )


def _risk(cell: Cell, steps: Way) -> Risk:
    """Return the risk of a change: what takes lossless traffic does so where ports go down."""
    own = risk(cell)
    return Risk.PORT_FLAP if own is Risk.BRIEF_LOSS and steps.flaps else own


def _apart(values: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """Return the values that are other ones, or not there, in the second."""
    return {name: value for name, value in values.items() if other.get(name) != value}


def _is_self_made(cell: Cell) -> bool:
    return cell[0] == "BUFFER_PROFILE" and bool(re.fullmatch(SELF_MADE_PROFILE, cell[1]))


def _only(artefacts: Sequence[Artefact], kind: str) -> Artefact:
    return next(item for item in artefacts if item.kind == kind)


def _show(cell: Cell, value: Any) -> str:
    if value is None:
        return ""
    if SECRET_FIELD.search(cell[2]):
        return "***"
    return value if isinstance(value, str) else json.dumps(value)


def _lines(cells: list[tuple[Cell, Any, Any]]) -> list[str]:
    lines = []
    for cell, old, new in cells:
        name = "|".join(part for part in cell if part)
        if old is not None:
            lines.append(f"- {name} = {_show(cell, old)}")
        if new is not None:
            lines.append(f"+ {name} = {_show(cell, new)}")
    return lines


adapters.add("sonic")(SonicAdapter())
