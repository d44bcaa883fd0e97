"""What is made of one device, and the form in which it is kept between runs.

These stand here, so that a process that works for another finds them; what they need is imported
when something is made, not when everything is kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from fabric.core.artefact import Artefact
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabric.design.model import DeviceDesign, HostDesign
    from fabric.platforms.model import Sku
    from fabric.validate.runner import Outcome

T = TypeVar("T")
Checked: TypeAlias = "tuple[list[Artefact], Outcome | None]"


@dataclass(frozen=True)
class Stage(Generic[T]):
    """What is made, by a function of one input and nothing else.

    Parameters
    ----------
    kind : str
        What is made; part of the key of what is kept.
    counted : str
        What progress counts, in the plural.
    make : callable
        Of a module, so that another process finds it.
    write, read : callable
        To bytes that are kept, and back; None is not kept.
    timed : str
        Stage of the command that its time counts for.
    """

    kind: str
    counted: str
    make: Callable[[Any], T]
    write: Callable[[T], bytes | None]
    read: Callable[[bytes], T]
    timed: str = "render"


@dataclass(frozen=True)
class Rows:
    """Designs devices by their row, in whichever process it is called.

    Parameters
    ----------
    design : callable
        From a row to its design.
    ready : sequence, optional
        Designs of all rows where these are computed already; not given to another process.
    """

    design: Callable[[int], Any]
    ready: Sequence[Any] = ()

    def __call__(self, row: int) -> Any:
        """Return the design of a row."""
        return self.ready[row] if self.ready else self.design(row)

    def __reduce__(self) -> tuple[Any, ...]:
        return Rows, (self.design,)


def rendered_switch(design: DeviceDesign) -> list[Artefact]:
    """Return the files of a switch."""
    from fabric.render import render_device

    return render_device(design)


def rendered_host(design: HostDesign) -> list[Artefact]:
    """Return the files of a host."""
    from fabric.systems.host.render import render_host

    return render_host(design)


def judged_config(config: tuple[str, bytes, Sku]) -> Outcome:
    """Return what the rules say of a CONFIG_DB, given with the name and model of its switch."""
    from fabric.validate.verdict import verdict

    return verdict(*config)


def checked_switch(design: DeviceDesign) -> Checked:
    """Return the files of a switch, and what the rules say of its CONFIG_DB where it has one."""
    files = rendered_switch(design)
    config = next((file for file in files if file.kind == "config_db"), None)
    return files, judged_config((design.name, config.content, design.sku)) if config else None


def judged_switch(design: DeviceDesign) -> Outcome | None:
    """Return what the rules say of the CONFIG_DB of a switch; None where it has none.

    The files are dropped at once, so that those of a large fabric are never all in memory.
    """
    return checked_switch(design)[1]


def _files_to_rows(files: list[Artefact]) -> list[list[Any]]:
    return [[f.device, f.platform, f.kind, f.path, f.text, f.executable] for f in files]


def _files_from_rows(rows: list[list[Any]]) -> list[Artefact]:
    return [
        Artefact(device, platform, kind, path, text.encode(), executable)
        for device, platform, kind, path, text, executable in rows
    ]


def _files_to_bytes(files: list[Artefact]) -> bytes:
    return json.dumps(_files_to_rows(files)).encode()


def _files_from_bytes(content: bytes) -> list[Artefact]:
    return _files_from_rows(json.loads(content))


def _outcome_to_rows(outcome: Outcome | None) -> list[Any] | None:
    if outcome is None:
        return None
    rows = [
        [f.rule, int(f.severity), f.message, f.fix, f.field, f.device, f.port]
        for f in outcome.findings
    ]
    return [rows, outcome.checked, outcome.skipped]


def _outcome_from_rows(kept: list[Any] | None) -> Outcome | None:
    from fabric.validate.runner import Outcome

    if kept is None:
        return None
    rows, checked, skipped = kept
    findings = tuple(
        Finding(rule, Severity(severity), message, fix, field, None, device, port)
        for rule, severity, message, fix, field, device, port in rows
    )
    return Outcome(findings, tuple(checked), tuple(skipped), ())


def _may_be_kept(outcome: Outcome | None) -> bool:
    """Say whether an outcome is kept; a rule that failed itself may do better next time."""
    return not (outcome and (outcome.broken or any(one.position for one in outcome.findings)))


def _outcome_to_bytes(outcome: Outcome | None) -> bytes | None:
    return json.dumps(_outcome_to_rows(outcome)).encode() if _may_be_kept(outcome) else None


def _outcome_from_bytes(content: bytes) -> Outcome | None:
    return _outcome_from_rows(json.loads(content))


def _checked_to_bytes(checked: Checked) -> bytes | None:
    files, outcome = checked
    if not _may_be_kept(outcome):
        return None
    return json.dumps([_files_to_rows(files), _outcome_to_rows(outcome)]).encode()


def _checked_from_bytes(content: bytes) -> Checked:
    files, outcome = json.loads(content)
    return _files_from_rows(files), _outcome_from_rows(outcome)


SWITCH = Stage("switch", "switches", rendered_switch, _files_to_bytes, _files_from_bytes)
HOST = Stage("host", "hosts", rendered_host, _files_to_bytes, _files_from_bytes)
CHECKED_SWITCH = Stage(
    "checked switch", "switches", checked_switch, _checked_to_bytes, _checked_from_bytes
)
JUDGED_SWITCH: Stage[Outcome | None] = Stage(
    "judged switch", "switches", judged_switch, _outcome_to_bytes, _outcome_from_bytes
)
VERDICT: Stage[Outcome | None] = Stage(
    "verdict", "switches", judged_config, _outcome_to_bytes, _outcome_from_bytes, "rules"
)
