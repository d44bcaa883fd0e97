"""What a reviewer of a plan sees: waves, risk, and the inventory line of each change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.change.approvals import needed
from fabric.change.model import Plan, parse_plan
from fabric.change.origin import MAX_AGE_S
from fabric.intent.contents import ContentHash
from fabric.report.origin import Origins
from fabric.workflow.explain import device_artefacts
from fabric.workflow.plan_text import kind_of
from fabric.workflow.rollout import describe_rollout, describe_stage

if TYPE_CHECKING:
    from fabric.change.model import Change, DevicePlan
    from fabric.change.origin import Origin
    from fabric.workflow.project import Project

__all__ = ["Brief", "ContentHash", "Plan", "brief", "device_review", "parse_plan", "plan_review"]

#: Changes of a device that are shown, our choice; the difference shows all of them.
MOST_CHANGES = 500
#: Characters of a difference that are shown, our choice.
MOST_DIFF = 1 << 20


@dataclass(frozen=True)
class Brief:
    """What a list of plans needs of one, without its differences.

    Parameters
    ----------
    origin : Origin or None
        What it was made of.
    needed, devices : int
        People who must approve it, and devices that it changes.
    risk : str
        What its worst change does to traffic; empty without changes.
    """

    fabric: str
    origin: Origin | None
    needed: int
    devices: int
    risk: str

    @property
    def author(self) -> str:
        """Account that made the plan, or empty."""
        return self.origin.author if self.origin else ""

    def stale(self, inventory_sha256: str, fabric: str) -> str:
        """Return why `rocefab apply` would reject the plan, or that it is of another inventory.

        The folder that the plan names is not looked at: it may be on another machine.

        Parameters
        ----------
        inventory_sha256 : str
            Hash of the inventory that the plan must have been made of.
        """
        if self.fabric != fabric:
            return f"the plan is of the fabric {self.fabric!a}, not of {fabric!a}"
        if self.origin is None:
            return "the plan does not have the inventory that it was made of"
        if self.origin.sha256 != inventory_sha256:
            return "the inventory was changed after the plan"
        return self.origin.aged(MAX_AGE_S)


def brief(plan: Plan) -> Brief:
    """Return what a list of plans needs of one."""
    worst = max((one.risk for one in plan.devices.values()), default=None)
    risk = "" if worst is None else worst.word
    return Brief(plan.fabric, plan.origin, needed(plan), len(plan.devices), risk)


def plan_review(plan: Plan) -> dict[str, Any]:
    """Return plain data of a plan, without differences."""
    origin = plan.origin
    return {
        "fabric": plan.fabric,
        "author": origin.author if origin else "",
        "made": origin.made if origin else None,
        "revision": origin.revision if origin else "",
        "needed": needed(plan),
        "waves": [
            {
                "number": number,
                "about": describe_stage(plan, number).removeprefix(": "),
                "devices": [_device(plan.devices[name]) for name in wave],
            }
            for number, wave in enumerate(plan.waves, 1)
        ],
        "unchanged": len(plan.unchanged),
        "missing": [
            {"device": name, "reason": one.reason, "risk": one.risk}
            for name, one in plan.missing.items()
        ],
        "rollout": list(describe_rollout(plan)),
    }


def _device(device: DevicePlan) -> dict[str, Any]:
    return {
        "name": device.device,
        "kind": kind_of(device),
        "changes": len(device.changes),
        "method": device.method,
        "risk": device.risk.word,
        "no_net": device.no_net,
        "notes": list(device.notes),
    }


def device_review(project: Project, plan: Plan, name: str) -> dict[str, Any]:
    """Return the difference of a device, and where each planned value comes from.

    Parameters
    ----------
    project : Project
        The inventory that the plan was made of.
    """
    device = plan.devices[name]
    origins = Origins(project, name, device_artefacts(project, name))
    return {
        "name": name,
        "diff": device.diff[:MOST_DIFF],
        "more": max(0, len(device.changes) - MOST_CHANGES),
        "changes": [_change(origins, one) for one in device.changes[:MOST_CHANGES]],
    }


def _change(origins: Origins, change: Change) -> dict[str, Any]:
    answer = origins.of(change)
    values = answer.values if answer else ()
    return {
        "path": change.path,
        "before": change.before,
        "after": change.after,
        "risk": change.risk.word,
        "line": answer.subject if answer else "",
        "causes": [{"field": v.field, "value": v.value, "where": v.where} for v in values],
    }
