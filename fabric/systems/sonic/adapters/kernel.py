"""The neighbour settings of SONiC: the file that a reboot reads, and the values that run.

The file alone proves nothing: another file can win at boot, and a person can set a value. So both
are compared, and the way back restores the running values beside the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.model import Change, Risk
from fabric.devices.candidate import Files, RemoteFile
from fabric.systems.sonic.platforms import EARLIER_SYSCTL_PATH, SYSCTL_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.core.artefact import Artefact
    from fabric.observe.snapshot import Running

#: A line of sysctl.d(5); ``-`` says that the parameter need not exist.
_LINE = re.compile(r"(-?)([\w./-]+) = (\S+)")


def draft(running: Running, artefacts: Sequence[Artefact]) -> tuple[Files, list[Change]]:
    """Return what brings the file and the running values to what is planned, and the changes."""
    item = next((item for item in artefacts if item.kind == "sysctl"), None)
    if item is None:
        return Files(), []
    old = running.files.get(SYSCTL_PATH)
    files = () if old == item.text else (RemoteFile(SYSCTL_PATH, item.content),)
    remove = (EARLIER_SYSCTL_PATH,) if EARLIER_SYSCTL_PATH in running.files else ()
    values = _deviating(running.kernel, item.text)
    changes = [
        Change(file.path, "" if old is None else "old content", "new content", Risk.HARMLESS)
        for file in files
    ]
    changes += [Change(path, "old content", "", Risk.HARMLESS) for path in remove]
    changes += [
        Change(name, running.kernel.get(name, ""), value, Risk.HARMLESS)
        for name, value in values.items()
    ]
    active = bool(files or values)
    candidate = Files(
        files=files,
        remove=remove,
        activate=(f"sysctl -p {SYSCTL_PATH}",) if active else (),
        restore=settings(running.kernel) if active else (),
    )
    return candidate, changes


def settings(values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the commands that set parameters; an interface may be gone by then (``-e``)."""
    return tuple(f"sysctl -e -w {name}={value}" for name, value in sorted(values.items()))


def lines(changes: Sequence[Change]) -> list[str]:
    """Return the changes as lines of a diff."""
    found = []
    for change in changes:
        if change.path.startswith("/"):
            sign = "~" if change.after else "-"
            found.append(f"{sign} {change.path}")
        else:
            found += [f"- {change.path} = {change.before}"] if change.before else []
            found.append(f"+ {change.path} = {change.after}")
    return found


def _deviating(kernel: Mapping[str, str], text: str) -> dict[str, str]:
    """Return the wanted values that do not run, by name."""
    return {
        name: value
        for optional, name, value in _LINE.findall(text)
        if kernel.get(name, value if optional else None) != value
    }
