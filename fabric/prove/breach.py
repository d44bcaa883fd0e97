"""What a proof found broken, before it is known where the inventory says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabric.core.findings import Severity


class Breach(NamedTuple):
    """A promise that the files break.

    Parameters
    ----------
    rule : str
        Id of the proof rule.
    device, port : str
        Switch or host, and its port.
    line : int
        Line of the device's configuration file that is to blame; 0 where none is.
    severity : Severity or None
        None for that of the rule.
    """

    rule: str
    device: str
    port: str
    line: int
    message: str
    severity: Severity | None = None
