"""What `drift --watch` repairs by itself, where the inventory allows it: harmless changes alone."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.change.journal import Journal
from fabric.change.model import Risk
from fabric.change.windows import is_open
from fabric.core.errors import FabricError, JournalError
from fabric.core.units import S_PER_H
from fabric.intent.contents import inventory_hash
from fabric.report.drifts import CONFIGURATION, REPAIR
from fabric.workflow.apply import Actor, Options, apply
from fabric.workflow.devices import Selection
from fabric.workflow.drift_findings import failed_repair
from fabric.workflow.plan import plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.change.model import DevicePlan
    from fabric.core.events import Event, Ledger
    from fabric.core.findings import Finding
    from fabric.workflow.project import Project
    from fabric.workflow.verify import Health

#: The reason of a repair in the journal.
REASON = "drift"


@dataclass(frozen=True)
class Repairs:
    """Repairs devices one after the other, by `plan` and `apply`.

    Parameters
    ----------
    state : Path
        Folder of the journal; made by the first repair.
    inventory_sha256 : str
        Of the files that the project was read from: those of another inventory are not applied.
    progress : callable
        Called with device and what happens.
    """

    project: Project
    connections_file: Path | None
    state: Path
    inventory_sha256: str
    progress: Callable[[str, str], None]
    options: Options = field(default_factory=Options)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def consider(self, health: Health, begun: list[Event], ledger: Ledger) -> Finding | None:
        """Repair a device where that is allowed; return the finding of a repair that failed.

        Parameters
        ----------
        begun : list of Event
            What the look at the device began: drift is repaired when it is seen again.
        """
        if not self._is_allowed(health, begun, ledger):
            return None
        try:
            reason = self._repair(health.device)
        except JournalError as error:  # another run, or one that was interrupted: not now
            self.progress(health.device, f"not repaired: {error}")
            return None
        except FabricError as error:
            reason = str(error)
        return failed_repair(health.device, reason) if reason else None

    def _is_allowed(self, health: Health, begun: list[Event], ledger: Ledger) -> bool:
        fabric = self.project.intent.fabric
        if fabric.drift.repair == "never" or health.error or not health.drift or begun:
            return False
        if any(change.risk is not Risk.HARMLESS for change in health.drift):
            return False
        own = [one.finding for one in ledger.of(health.device)]
        reported = {one.field for one in own if one.rule == CONFIGURATION}
        if any(one.rule == REPAIR for one in own):
            return False
        if not {setting.path for setting in health.settings} <= reported:
            return False
        if not is_open(fabric.rollout.windows, self.now()):
            return False
        return self._lately() < fabric.drift.repairs_per_hour

    def _lately(self) -> int:
        """Return how many repairs began within the last hour, in any process."""
        if not self.state.exists():
            return 0
        begin_s = time.time() - S_PER_H
        runs = Journal(self.state).runs()
        return sum(run.by.reason == REASON and run.started > begin_s for run in runs)

    def _repair(self, device: str) -> str:
        """Return why a device was not repaired; empty when it was, or is not to be.

        Raises
        ------
        FabricError
            When the device cannot be planned, or nothing can be applied now.
        """
        if inventory_hash(Path(self.project.intent.folder)) != self.inventory_sha256:
            return ""
        if wanted := self.project.intent.fabric.rollout.approvals:
            return (
                f"`rollout.approvals` of the inventory demands approvals of each plan: {wanted}; "
                "run `rocefab plan`, have the plan approved and apply it"
            )
        planned = plan(
            self.project,
            self.connections_file,
            Selection(only=device),
            "rail",
            lambda *_: None,
            rollout=True,
        )
        if planned.empty or not _is_harmless(planned.devices[device]):
            return ""
        self.progress(device, "repairing it: its drift is harmless")
        actor = Actor(reason=REASON)
        result = apply(
            planned, self.state, self.connections_file, self.options, self.progress, actor
        )
        self.progress(device, f"run {result.run}: {'done' if result.ok else 'failed'}")
        return "" if result.ok else f"run {result.run}: {'; '.join(result.reasons)}"


def _is_harmless(device: DevicePlan) -> bool:
    """Tell whether no change of a plan touches traffic, and a timer rolls it back.

    A port that somebody shut stays shut, whatever the change of it would take.
    """
    return device.risk_if_up is Risk.HARMLESS and not device.no_net
