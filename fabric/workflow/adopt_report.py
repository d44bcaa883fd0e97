"""What an adoption comes to, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.audit.adoption.class_values import is_class_field, single_field
from fabric.audit.adoption.differences import SET_ELSEWHERE
from fabric.audit.adoption.values import policy_fields
from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.likeness import like_groups, others, shape, shown_once
from fabric.core.shown import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.audit.adoption.differences import Difference
    from fabric.intent.classes import LosslessClass
    from fabric.workflow.adopt import Adopted
    from fabric.workflow.adopt_reading import Read

#: Number of the form of `--format json`.
FORMAT = 1
_ELSEWHERE = "no field of the policy sets it"
_NOT_COMPARED = (
    "Compared are the lossless class, MTU, lengths of cables that are configured, breakouts and "
    "VRFs of tenants; `rocefab plan` shows all lines that change."
)


def as_object(adopted: Adopted, read: Read) -> dict[str, Any]:
    """Return an adoption as JSON values."""
    return {
        "format": FORMAT,
        "files": adopted.files,
        "groups": [
            {"names": group.names, "count": group.size, "differs": _as_values(group.own)}
            for group in adopted.groups
        ],
        "remaining": [
            {
                "device": name,
                "field": one.field,
                "running": one.running,
                "adopted": one.adopted,
                "ports": list(one.ports),
                "why": why(adopted, name, one),
            }
            for name, rest in adopted.remaining.items()
            for one in rest
        ],
        "unknown": adopted.unknown,
        "unread": adopted.unread,
        "vrfs": [str(one) for one in adopted.vrfs],
        "borrowed": [one._asdict() for one in adopted.borrowed],
        "failed": read.failed,
        "warnings": read.warnings,
        "check": {
            "errors": len(adopted.errors),
            "warnings": adopted.warnings,
            "failure": adopted.failure,
        },
    }


def _as_values(own: dict[str, Any]) -> dict[str, Any]:
    classes = own.get("classes")
    return own if classes is None else own | {"classes": [_class(one) for one in classes]}


def _class(one: LosslessClass) -> dict[str, Any]:
    """Return a class of a group, with every value decided."""
    return {
        "name": one.name,
        "dscps": list(one.dscps),
        "pfc_priority": one.pfc_priority,
        "traffic_class": one.traffic_class,
        "queue": one.queue,
        "priority_group": one.priority_group,
        "scheduler_percent": one.percent,
        "kmin_bytes": one.kmin_bytes,
        "kmax_bytes": one.kmax_bytes,
        "pmax_percent": one.pmax_percent,
    }


def describe(adopted: Adopted, read: Read) -> str:
    """Return an adoption as text: the files, groups, what would still change, what is unknown."""
    lines = [_failure(adopted), ""] if adopted.failure else []
    if adopted.errors and not adopted.failure:
        rejected = f"{_check(adopted)} `rocefab render` and `plan` reject it:"
        lines = [rejected, *(f"    {one}" for one in adopted.errors), ""]
    if adopted.vrfs:
        lines += [*(f"warning: {one}" for one in adopted.vrfs), ""]
    for path, text in adopted.files.items():
        lines += [f"{path}:", *(f"    {line}" for line in text.splitlines()), ""]
    if not adopted.files:
        what = f"The inventory has the lossless policy that runs{_where(adopted)}"
        lines += [f"{what}: no file is needed for it.", ""]
    lines += _section("Groups of equal policy, most devices first:", _groups(adopted))
    lines += _section("Would still change:", _remaining(adopted)) or (
        [] if adopted.vrfs else [f"No field that is read would still change{_where(adopted)}.", ""]
    )
    lines += _section(
        "Not adopted, as these systems do not tell the field, or it is not read:", _unknown(adopted)
    )
    lines += [f"warning: {one}" for one in adopted.borrowed]
    named = {name for one in adopted.borrowed for name in one.names}
    if unread := [name for name in adopted.unread if name not in named]:
        names = hostlist.fold(unread)
        rule = "switches take the values of most switches of their role, hosts those of their leaf"
        lines.append(f"Not read; {rule}: {names}")
    lines += [f"{name} failed: {printable(reason)}" for name, reason in read.failed.items()]
    lines += [f"Ignored: {warning}" for warning in read.warnings]
    lines += [_NOT_COMPARED]
    lines += [] if adopted.failure else [_check(adopted)]
    return "\n".join(lines) + "\n"


def _section(title: str, lines: Iterator[str]) -> list[str]:
    content = [f"  {line}" for line in lines]
    return [title, *content, ""] if content else []


def _groups(adopted: Adopted) -> Iterator[str]:
    for group in adopted.groups:
        own = ", ".join(f"{field} {_plain(value)}" for field, value in group.own.items())
        yield f"{counted(group.size, 'device')}: {group.names}" + (f": {own}" if own else "")


def _plain(value: object) -> str:
    if isinstance(value, tuple):
        return "; ".join(_class_words(one) for one in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _class_words(one: LosslessClass) -> str:
    dscps = ", ".join(map(str, one.dscps))
    return (
        f"{one.name} (priority {one.pfc_priority}, DSCP {dscps}, queue {one.queue}, "
        f"{one.percent} %, Kmin {one.kmin_bytes:,}, Kmax {one.kmax_bytes:,} bytes)"
    )


def _remaining(adopted: Adopted) -> Iterator[str]:
    """Yield what would still change: what is alike once, and what fewest have first."""
    every = [
        (name, _ports(one), f"{one.field}: {_values(one)}", why(adopted, name, one))
        for name, rest in adopted.remaining.items()
        for one in rest
    ]
    groups = like_groups(every, lambda row: (row[2], shape(row[3])))
    for same in sorted(groups, key=len):
        yield "{} {}: {}; {}".format(*same[0])
        if same[1:]:
            yield f"  {others(len(same) - 1, (row[0] for row in same))}"
    if hint := shown_once(len(groups), len(every), "`--format json`"):
        yield hint


def _ports(one: Difference) -> str:
    first, *more = one.ports
    return f"{first} and {counted(len(more), 'more port')}" if more else first


def _values(one: Difference) -> str:
    return f"runs {printable(one.running)}, becomes {one.adopted}"


def why(adopted: Adopted, name: str, one: Difference) -> str:
    """Return why a field is not kept as it runs."""
    reason = adopted.reasons.get(name, {}).get(one.field) or SET_ELSEWHERE.get(one.field)
    if reason:
        return reason
    owner = "classes" if is_class_field(one.field) else one.field
    if owner in adopted.decided.get(name, {}):
        return f"{adopted.decided[name][owner]} takes precedence"
    is_field = single_field(one.field) in policy_fields()
    return "most ports of the device have another value" if is_field else _ELSEWHERE


def _unknown(adopted: Adopted) -> Iterator[str]:
    for field, systems in adopted.unknown.items():
        yield f"{field}: {', '.join(systems)}"


def _failure(adopted: Adopted) -> str:
    return (
        "Some switches cannot be rendered with these files, so they are not compared: "
        f"{adopted.failure}"
    )


def _where(adopted: Adopted) -> str:
    """Return where a sentence holds, if that is not everywhere."""
    return " on the switches that can be rendered" if adopted.failure else ""


def _check(adopted: Adopted) -> str:
    return (
        f"`rocefab check` finds {counted(len(adopted.errors), 'error')} and "
        f"{counted(adopted.warnings, 'warning')} with these files."
    )
