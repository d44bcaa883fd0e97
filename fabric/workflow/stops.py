"""Requests to stop a run that another process works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.change.stop import StopRequest, Stops

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["StopRequest", "request_stop", "stop_request"]


def request_stop(state: Path, run: int, by: str, at: float) -> None:
    """Ask a run to stop after the current step on each device, as Ctrl-C does.

    Parameters
    ----------
    state : Path
        State folder of its journal.
    by : str
        Who asks; empty where that is not known.
    at : float
        Unix time in seconds.

    Raises
    ------
    JournalError
        When the request cannot be written.
    """
    Stops(state).ask(StopRequest(run=run, by=by, at=at))


def stop_request(state: Path, run: int) -> StopRequest | None:
    """Return the request to stop a run, where there is one."""
    return Stops(state).asked(run)
