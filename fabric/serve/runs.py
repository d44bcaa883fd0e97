"""Runs of `rocefab apply` and `rollback`, as their journal has them; the service runs nothing."""

from __future__ import annotations

import shlex
import time
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.core.errors import InputError, JournalError, PlanError
from fabric.report.progress import progress
from fabric.report.run import ENDS
from fabric.report.run_rows import rolled_back
from fabric.serve.problem import Problem, refused
from fabric.workflow.deletion import record_deletion
from fabric.workflow.history import History
from fabric.workflow.run_under_way import run_at_work
from fabric.workflow.state import of_inventory
from fabric.workflow.stops import request_stop, stop_request

if TYPE_CHECKING:
    from fabric.change.chain import Chain

_DATABASE = "journal.sqlite3"
#: Seconds between two checks of the whole journal, our choice; new rows are checked as they come.
_CHECK_S = 600.0


class Runs:
    """The journal of an inventory.

    Parameters
    ----------
    folder : Path or None
        State folder; None is that of the inventory, which may come later.
    """

    def __init__(self, inventory: Path, folder: Path | None) -> None:
        self._inventory, self._named = inventory, folder
        self._stamp: tuple[int, ...] = ()
        self._history: History | None = None
        self._file = (Path(), 0)

    @property
    def folder(self) -> Path:
        """The state folder."""
        return self._named or of_inventory(self._inventory)

    def has_changed(self) -> bool:
        """Tell whether something was written since this was asked last, or a process has ended."""
        try:
            status = (self.folder / _DATABASE).stat()
        except OSError:
            return False
        written = status.st_mtime_ns, status.st_size, status.st_ino
        before, self._stamp = self._stamp, (*written, run_at_work(self.folder) or 0)
        return self._stamp != before

    def all(self) -> dict[str, Any]:
        """Return all runs, the newest first, and whether their hashes fit.

        Raises
        ------
        Problem
            503 when the journal cannot be read.
        """
        if not self._is_there():
            return {"journal": str(self.folder), "chain": "", "whole": None, "runs": []}
        try:
            rows, chain = self._journal().rows()
        except JournalError as error:
            raise _unreadable(error) from error
        return {
            "journal": str(self.folder),
            "chain": str(chain),
            "whole": chain.whole,
            "runs": [_run(row) for row in reversed(rows)],
        }

    def of_plans(self) -> dict[str, dict[str, Any]]:
        """Return number and state of the newest run that applies each plan, by its SHA-256.

        Nothing of a journal that cannot be read: `all` says why.
        """
        try:
            rows = self._journal().rows()[0] if self._is_there() else []
        except JournalError:
            return {}
        return {
            row["plan_sha256"]: {name: _run(row)[name] for name in ("run", "state", "rolled_back")}
            for row in rows
            if row["kind"] == "apply"
        }

    def one(self, run: int) -> dict[str, Any]:
        """Return a run as far as it is; raise Problem (404) where there is none."""
        if not self._is_there():
            raise _missing()
        try:
            history = self._journal()
            rows, chain = history.rows()
            row = next((row for row in rows if row["run"] == run), None)
            if row is None:
                raise _missing()
            data = progress(history.report(run))
        except (PlanError, InputError) as error:
            raise _unreadable(error) from error
        request = stop_request(self.folder, run)
        return {
            **data,
            "rolled_back": rolled_back(row),
            "stop": request.model_dump(mode="json") if request else None,
            "rollback": self._command(run) if _may_go_back(row, chain) else "",
            "resume": f"rocefab apply --resume{self._state()}",
        }

    def stop(self, run: int, by: str) -> dict[str, Any]:
        """Ask a run to stop, and return it.

        Raises
        ------
        Problem
            409 when the run has ended, or no process works on it.
        """
        state = self.one(run)["state"]
        if state in (*ENDS, "interrupted"):
            message = f"run {run} {'has ended' if state in ENDS else 'was interrupted'}"
            fix = "roll it back if it must not stay"
            raise refused(HTTPStatus.CONFLICT, "SRV013", "run", message, fix)
        try:
            request_stop(self.folder, run, by, time.time())
        except JournalError as error:
            raise _unreadable(error) from error
        return self.one(run)

    def deleted(self, fabric: str, plan: str, by: str, detail: str) -> None:
        """Write down who deletes a plan that was sent for review.

        Raises
        ------
        Problem
            503 when the journal cannot be written, or is on a server and a run is in progress.
        """
        try:
            record_deletion(self.folder, fabric, plan, by, detail)
        except JournalError as error:
            message = f"the journal cannot say that the plan is deleted: {error}"
            fix = "check the disk of --journal, and send it again when no run is in progress"
            raise refused(HTTPStatus.SERVICE_UNAVAILABLE, "SRV013", "", message, fix) from error

    def _journal(self) -> History:
        """Return the journal, checked as a whole now and then."""
        path = self.folder / _DATABASE
        file = path, path.stat().st_ino
        kept = self._history
        if kept is None or file != self._file or time.monotonic() - kept.opened_s > _CHECK_S:
            self._history, self._file = History(self.folder), file
        assert self._history is not None
        return self._history

    def _command(self, run: int) -> str:
        return f"rocefab rollback {run}{self._state()}"

    def _state(self) -> str:
        return f" --state {shlex.quote(str(self.folder.absolute()))}"

    def _is_there(self) -> bool:
        return (self.folder / _DATABASE).is_file()


def _run(row: dict[str, Any]) -> dict[str, Any]:
    named = ("run", "kind", "fabric", "started", "state", "devices", "user", "host", "reason")
    return {**{name: row[name] for name in (*named, "ticket")}, "rolled_back": rolled_back(row)}


def _may_go_back(row: dict[str, Any], chain: Chain) -> bool:
    """Tell whether a device may have the change of a run; a damaged journal does not know."""
    return bool(row["state"] not in ENDS or row["stays_on"] or not chain.whole)


def _missing() -> Problem:
    message = "there is no such run in the journal"
    return refused(HTTPStatus.NOT_FOUND, "SRV011", "run", message, "GET /v1/runs lists them")


def _unreadable(error: Exception) -> Problem:
    fix = "`rocefab status --verify` says more"
    return refused(HTTPStatus.SERVICE_UNAVAILABLE, "SRV013", "", str(error), fix)
