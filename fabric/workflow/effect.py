"""What a change of rendered files does to a device that runs the earlier ones.

The adapter of its system compares them as ``plan`` does, with the earlier files in place of what a
device says; what only the device knows, such as the release of SONiC, is taken as unknown.
"""

from __future__ import annotations

import difflib
import json
import re
from typing import TYPE_CHECKING, Any, cast

from fabric.change.adapter import adapters
from fabric.change.model import Risk, worst_of
from fabric.core.errors import FabricError
from fabric.observe.snapshot import Running
from fabric.report.diff.compare import Effect
from fabric.report.diff.consequences import UNKNOWN
from fabric.workflow.carrying import on_shut_ports
from fabric.workflow.configurations import whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.core.artefact import Artefact
    from fabric.design.model import DeviceDesign
    from fabric.devices.driver import Driver

#: Between a section and a line; no configuration has it.
_PLACED = "\0"
_PLACE = re.compile(rf"(?<=^[ +-])[^{_PLACED}]*{_PLACED}")
_KERNEL = re.compile(r"^-?([\w./-]+) = (\S+)$", re.MULTILINE)


def effect(
    designs: Mapping[str, DeviceDesign],
    device: str,
    before: Sequence[Artefact],
    after: Sequence[Artefact],
) -> Effect:
    """Return risk and restart of the way from some files to others; unknown where none can tell.

    Parameters
    ----------
    designs : mapping of str to DeviceDesign
        What each switch becomes.
    """
    platform = after[0].platform
    try:
        running = _running(device, platform, before)
        draft = adapters[platform].draft(running, after, cast("Driver", _Preview(running)))
        own, changes = designs.get(device), draft.changes
        changes = on_shut_ports(changes, own, running) if own else changes
    except (FabricError, KeyError, StopIteration, ValueError, TypeError, AttributeError) as error:
        why = str(error) if isinstance(error, FabricError) else "its files alone do not tell"
        return Effect(UNKNOWN, None, (why,))
    method = draft.candidate.method
    worst, cause = worst_of(changes, method)
    gone = sorted(_networks(before) - _networks(after))
    if gone and worst < Risk.BRIEF_LOSS:
        worst, cause = Risk.BRIEF_LOSS, " ".join(gone[0])
    return Effect(worst.word, method == "reload", (*draft.notes, *draft.conflicts), cause)


def _networks(artefacts: Sequence[Artefact]) -> set[tuple[str, str]]:
    """Return addresses and routes of the NICs of a host, by NIC or setting; none of a switch."""
    texts = (item.text for item in artefacts if item.kind == "expected-state")
    state = json.loads(next(texts, "{}"))
    lists = {nic: values["addresses"] for nic, values in state.get("nics", {}).items()}
    lists |= {name: one for name, one in state.get("settings", {}).items() if isinstance(one, list)}
    return {(name, line) for name, lines in lists.items() for line in lines}


def _nics(state: dict[str, Any]) -> dict[str, Any]:
    """Return the planned settings of the NICs of a host in the form in which they read back."""
    devices = state["rdma_devices"]
    return {
        name: {"reader": state["reader"], "rdma_device": devices.get(name, ""), **values}
        for name, values in state["nics"].items()
    }


class _Preview:
    """Stands for a switch that is asked for the difference to a configuration (EOS)."""

    def __init__(self, running: Running) -> None:
        self._running = running

    def preview(self, candidate: Any) -> str:
        """Return the difference with all sections, so that each line shows where it stands."""
        old, new = ([*_placed(text)] for text in (self._running.config, candidate.text))
        lines = difflib.unified_diff(old, new, lineterm="", n=len(old) + len(new))
        return "\n".join(_PLACE.sub("", line) for line in lines)


def _placed(text: str) -> Iterator[str]:
    """Yield each line behind its section: difflib disregards lines that many sections have."""
    section = ""
    for line in text.splitlines():
        if line.strip() not in {"", "!"}:
            section = section if line.startswith(" ") else line
            yield f"{section}{_PLACED}{line}"


def _running(device: str, platform: str, artefacts: Sequence[Artefact]) -> Running:
    adapter = adapters[platform]
    texts = {item.kind: item.text for item in artefacts}
    by_name = {item.path.rpartition("/")[2]: item.text for item in artefacts}
    paths = {path: path.rpartition("/")[2] for path in adapter.files(artefacts)}
    files = {path: by_name[name] for path, name in paths.items() if name in by_name}
    kernel = dict(_KERNEL.findall(texts.get("sysctl", "")))
    config: Any
    if "expected-state" in texts:
        state = json.loads(texts["expected-state"])
        config = {"nics": _nics(state), "settings": state.get("settings", {})}
    else:
        text = whole(artefacts).text
        config = json.loads(text) if "config_db" in texts else text
    return Running(device, platform, config, "", None, files, kernel)
