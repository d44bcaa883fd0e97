"""export netbox --push: an inventory into a NetBox, over its API; what was written stays."""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fabric.core.errors import ConnectionLostError, InputError, RefusedError
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import printable
from fabric.devices.netbox import NetBox
from fabric.exchange.netbox_changes import DELETED, UNTAGGED, Change, Changes, changes, numbered
from fabric.exchange.netbox_wanted import wanted
from fabric.exchange.network import plant
from fabric.workflow.check import refuse_errors
from fabric.workflow.imports import TOKEN_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fabric.exchange.netbox_wanted import NetBoxObject
    from fabric.workflow.project import Project

    Progress = Callable[[str, str], None]

#: Objects of one request; NetBox writes all of them or none.
_BATCH = 100
#: How often the comparison begins again after an answer was lost.
_TRIES = 4
_PAUSE_S = 1.0
_INTERFACE = "dcim.interface"


@dataclass(frozen=True)
class Target:
    """Where a push goes, and what it may do.

    Parameters
    ----------
    site : str
        Slug of the site; empty is that of the fabric's name.
    commit : bool
        Whether anything is written.
    delete : bool
        Whether objects with the tag that the inventory does not have are deleted.
    """

    url: str
    site: str = ""
    commit: bool = False
    delete: bool = False


@dataclass
class Pushed:
    """What a push changes or changed, and what stayed as it was."""

    changes: Changes
    written: Counter[str] = field(default_factory=Counter)
    refused: list[Finding] = field(default_factory=list)

    @property
    def findings(self) -> list[Finding]:
        """Return conflicts, and what NetBox did not accept."""
        return [*self.changes.conflicts, *self.refused]


def push(project: Project, target: Target, progress: Progress) -> Pushed:
    """Compare an inventory with a NetBox, and write the difference if told to.

    Raises
    ------
    InputError
        When the inventory does not pass its check, or the URL or the token is missing.
    DeviceError
        When NetBox cannot be reached; what was written stays, and the next push finishes it.
    """
    token = os.environ.get(TOKEN_VARIABLE, "")
    _refuse_target(target, token)
    refuse_errors(project)
    objects = wanted(plant(project.fabric), target.site)
    netbox = NetBox(target.url, token)
    first = pushed = Pushed(_compared(netbox, objects, target, progress))
    for again in range(_TRIES if target.commit else 0):
        try:
            _Writer(netbox, pushed, progress).write(delete=target.delete)
            break
        except ConnectionLostError as error:
            if again == _TRIES - 1:
                raise
            progress("netbox", f"{error.reason}; the comparison begins again")
            time.sleep(_PAUSE_S * 2**again)
        pushed = Pushed(_compared(netbox, objects, target, progress), pushed.written)
    return Pushed(first.changes, pushed.written, pushed.refused)


def _refuse_target(target: Target, token: str) -> None:
    wrong = []
    if not target.url.startswith(("http://", "https://")):
        wrong.append((f"{printable(target.url)[:80]!r} is not a URL", "use --push https://HOST"))
    if not token:
        wrong.append(("there is no token of the API", f"set {TOKEN_VARIABLE}"))
    if wrong:
        findings = [Finding("EXC014", Severity.ERROR, *both) for both in wrong]
        raise InputError("NetBox cannot be written", findings)


def _compared(
    netbox: NetBox, objects: list[NetBoxObject], target: Target, progress: Progress
) -> Changes:
    (site,) = (one.key[0] for one in objects if one.kind == "sites")
    tables = netbox.tables(site, progress)
    return changes(objects, tables, printable(target.url), delete=target.delete)


def report(pushed: Pushed, target: Target) -> str:
    """Return counts by kind, and each object and field that is written."""
    plan = pushed.changes
    surplus = "deleted" if target.delete else "not in the inventory"
    groups = {"created": plan.created, "changed": plan.changed, surplus: plan.surplus}
    counts = {word: Counter(one.ref.kind for one in group) for word, group in groups.items()}
    counts["unchanged"] = plan.unchanged
    lines = [
        f"{word:<20} {sum(kinds.values())}"
        + "".join(f"{', ' if at else ': '}{n} {kind}" for at, (kind, n) in enumerate(kinds.items()))
        for word, kinds in counts.items()
    ]
    lines += [f"{'linked':<20} {len(plan.late)}: primary addresses"] if plan.late else []
    lines += [f"{'skipped':<20} {plan.skipped}: parts of conflicts"] if plan.skipped else []
    lines += [
        f"{sign} {one.ref.kind} {printable(str(one.ref))}"
        for sign, group in (("+", plan.created), ("-" if target.delete else "?", plan.surplus))
        for one in group
    ]
    lines += [
        f"~ {one.ref.kind} {printable(str(one.ref))} {name}: {before!r} -> {after!r}"
        for one in (*plan.changed, *(late for late in plan.late if late.shown))
        for name, before, after in one.shown
    ]
    written = ", ".join(f"{word} {count}" for word, count in pushed.written.items() if count)
    end = f"written: {written or 'nothing'}" if target.commit else "dry run: add --commit to write"
    return "\n".join((*lines, end)) + "\n"


class _Writer:
    def __init__(self, netbox: NetBox, pushed: Pushed, progress: Progress) -> None:
        self._netbox, self._pushed, self._progress = netbox, pushed, progress
        self._numbers = pushed.changes.numbers

    def write(self, *, delete: bool) -> None:
        """Delete, then create and change, kind by kind."""
        plan = self._pushed.changes
        if delete:
            for kind, group in _by_kind(plan.surplus, DELETED):
                self._batches("deleted", kind, group)
        kinds = list(dict.fromkeys(one.ref.kind for one in (*plan.created, *plan.changed)))
        new = dict(_by_kind(plan.created, kinds))
        old = dict(_by_kind(plan.changed, kinds))
        for kind in kinds:
            self._batches("created", kind, new.get(kind, []))
            self._batches("changed", kind, old.get(kind, []))
        for kind, group in _by_kind(plan.late, ("interfaces", "devices")):
            self._batches("linked", kind, group)

    def _batches(self, verb: str, kind: str, group: list[Change]) -> None:
        for start in range(0, len(group), _BATCH):
            batch = group[start : start + _BATCH]
            try:
                self._batch(verb, kind, batch)
            except RefusedError:
                for one in batch:
                    self._single(verb, kind, one)
        if group:
            self._progress("netbox", f"{verb} {kind}: {self._pushed.written[f'{verb} {kind}']}")

    def _single(self, verb: str, kind: str, one: Change) -> None:
        try:
            self._batch(verb, kind, [one])
        except RefusedError as error:
            message = f"{kind} {printable(str(one.ref))}: {error.reason}"
            fix = "correct the object in NetBox or the inventory, and push again"
            finding = Finding("EXC016", Severity.ERROR, message, fix, position=Position("netbox"))
            self._pushed.refused.append(finding)

    def _batch(self, verb: str, kind: str, batch: list[Change]) -> None:
        """Write objects at once; those that name one that was not accepted are passed over."""
        if verb == "deleted":
            self._netbox.delete(kind, [one.number for one in batch if one.number is not None])
            self._pushed.written[f"{verb} {kind}"] += len(batch)
            return
        there = [one for one in batch if verb == "created" or one.ref in self._numbers]
        ready = [(one, body) for one in there if (body := self._body(one)) is not None]
        if not ready:
            return
        if verb == "created":
            tag = self._numbers.get(self._pushed.changes.tag)
            tags = {} if kind in UNTAGGED else {"tags": [tag]}
            numbers = self._netbox.create(kind, [body | tags for _, body in ready])
            self._numbers |= {one.ref: at for (one, _), at in zip(ready, numbers, strict=True)}
        else:
            self._netbox.change(
                kind, [{"id": self._numbers[one.ref], **body} for one, body in ready]
            )
        self._pushed.written[f"{verb} {kind}"] += len(ready)

    def _body(self, one: Change) -> dict[str, Any] | None:
        """Return the body of a request; nothing where an object that it names is missing."""
        body: dict[str, Any] = {}
        for name, value in one.fields.items():
            try:
                plain = numbered(value, self._numbers)
            except KeyError:
                return None
            head, _, custom = name.partition(".")
            if custom:
                body.setdefault(head, {})[custom] = plain
            elif name.endswith("_terminations"):
                body[name] = [{"object_type": _INTERFACE, "object_id": plain}]
            else:
                body[name] = list(plain) if isinstance(plain, tuple) else plain
        return body


def _by_kind(items: Iterable[Change], order: Iterable[str]) -> Iterator[tuple[str, list[Change]]]:
    groups: dict[str, list[Change]] = defaultdict(list)
    for one in items:
        groups[one.ref.kind].append(one)
    return ((kind, groups[kind]) for kind in order if kind in groups)
