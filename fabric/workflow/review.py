"""What a reviewer of a plan sees: waves, risk, and the inventory line of each change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.change.approvals import needed
from fabric.change.model import Plan, parse_plan
from fabric.change.origin import MAX_AGE_S
from fabric.intent.contents import inventory_hash
from fabric.report.origin import Origins
from fabric.workflow.explain import device_artefacts
from fabric.workflow.plan import kind_of
from fabric.workflow.rollout import describe_rollout, describe_stage

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.change.model import Change, DevicePlan
    from fabric.workflow.project import Project

__all__ = ["Plan", "device_review", "parse_plan", "plan_review", "stale"]

#: Changes of a device that are shown, our choice; the difference shows all of them.
MOST_CHANGES = 500
#: Characters of a difference that are shown, our choice.
MOST_DIFF = 1 << 20


def stale(plan: Plan, inventory: Path, fabric: str) -> str:
    """Return why `rocefab apply` would reject a plan, or that it is of another inventory.

    The folder that the plan names is not looked at: it may be on another machine.

    Parameters
    ----------
    inventory : Path
        Folder that the plan must have been made of.
    fabric : str
        Name of its fabric.
    """
    if plan.fabric != fabric:
        return f"the plan is of the fabric {plan.fabric!a}, not of {fabric!a}"
    if plan.origin is None:
        return "the plan does not have the inventory that it was made of"
    if plan.origin.sha256 != inventory_hash(inventory):
        return "the inventory was changed after the plan"
    return plan.origin.aged(MAX_AGE_S)


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
