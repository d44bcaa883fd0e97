"""Runs of a journal as they come, for who asks often: what was read is not read again."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fabric.change.chain import text_hash
from fabric.change.journal import Journal
from fabric.change.model import parse_plan
from fabric.report.run import ENDS, RunReport
from fabric.report.run_rows import rolled_back
from fabric.workflow.run_list import ListedRun, listed, rows

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.change.chain import Chain
    from fabric.change.journal import RunRecord
    from fabric.change.model import Plan


class History:
    """The runs of a state folder. It is used from one thread.

    Everything is checked when it is opened, with the texts of plans and the kept states; rows
    that come later are checked as they come.

    Raises
    ------
    JournalError
        When the journal cannot be read; every method that reads raises it as well.
    """

    def __init__(self, state: Path) -> None:
        self.opened_s = time.monotonic()
        self._journal = Journal(state)
        self._checked = self._journal.verify()
        self._records: dict[int, RunRecord] = {}
        self._plans: dict[int, str] = {}
        self._ended: dict[int, ListedRun] = {}
        self._shown: tuple[RunRecord, Plan] | None = None

    def rows(self) -> tuple[list[dict[str, Any]], Chain]:
        """Return all runs as plain data, oldest first, and what the hashes say."""
        self._journal.follow()
        for record in self._journal.runs_after(max(self._records, default=0)):
            self._records[record.id] = replace(record, plan="")
            self._plans[record.id] = text_hash(record.plan)
        chain = self._journal.chain if self._checked.whole else self._checked
        return rows([self._listed(record) for record in self._records.values()]), chain

    def _listed(self, record: RunRecord) -> ListedRun:
        if record.id in self._ended:
            return self._ended[record.id]
        run = listed(self._journal, record)
        run.row["plan_sha256"] = self._plans[record.id]
        if run.row["state"] in ENDS:
            self._ended[record.id] = run
        return run

    def report(self, run: int) -> RunReport:
        """Return a run as far as it is, with its plan, which does not change.

        Raises
        ------
        PlanError
            When the plan cannot be read.
        """
        self._journal.follow()
        if self._shown is None or self._shown[0].id != run:
            record = self._journal.run(run)
            plan = parse_plan(record.plan, f"the plan of run {run}")
            self._shown = replace(record, plan=""), plan
        events = self._journal.events(run)
        standing = self._journal.standing(self._shown[0], events)
        back = {row["run"]: rolled_back(row) for row in self.rows()[0]}
        return RunReport(*self._shown, events, standing, back[run])
