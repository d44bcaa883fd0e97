"""What the forms for people show of a difference: words, tables and groups of like devices."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.likeness import like_groups
from fabric.report.diff.capacity import worse
from fabric.report.diff.model import ABSENT_TEXT
from fabric.report.diff.traced import FILELESS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from fabric.report.diff.model import (
        Cause,
        Device,
        Diff,
        Edit,
        Judged,
        Move,
        ProofVerdict,
        RuleFinding,
        TouchedTenant,
    )

    Row = tuple[str, ...]

#: Names of devices that are written out in one place.
_MOST_NAMES = 400
#: Figures of capacity in the summary; our choice. The table has all.
_MOST_WORSE = 4
#: Changes of cables that many have alike.
_SUMMED = ("length", "speed")
#: Words before a number that each switch has of its own: that of its AS, or of a VNI or VLAN.
_OWN_NUMBERS = ("vni", "vlan", "bgp", "asn", "-as", "autonomous-system")
#: An address of IPv4 or IPv6, or of a NIC; such a number.
_OWN = re.compile(
    r"\d+(\.\d+){3}|([0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}|"
    + "|".join(rf"(?<={word})[\W_]?\d+" for word in _OWN_NUMBERS),
    re.IGNORECASE,
)
#: Stands for what each device has of its own.
_SIGN = "#"
_PLURALS = {"error": "errors", "warning": "warnings", "info": "info"}


@dataclass(frozen=True)
class Part:
    """A table below a heading."""

    title: str
    headers: Row
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Alike:
    """Devices whose files differ alike but for addresses and numbers; the first is shown."""

    devices: tuple[Device, ...]

    @property
    def first(self) -> Device:
        """The device that is shown."""
        return self.devices[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person is to know, of the change and of what is shown."""
        one = self.first
        if all(_changes(device) == _changes(one) for device in self.devices):
            return one.notes
        of_switches = "names of neighbours, addresses, AS numbers, VNIs or VLANs"
        what = "addresses" if one.role == "host" else of_switches
        return (*one.notes, f"values of {one.name}; those of the others have other {what}")

    @property
    def names(self) -> str:
        """All names in short."""
        return folded(device.name for device in self.devices)

    @property
    def title(self) -> str:
        """Names, what the devices are, and how they change."""
        one = self.first
        kind = one.role if one.role == one.platform else f"{one.platform} {one.role}"
        return f"{self.names} ({kind}): {self.words}"

    @property
    def words(self) -> str:
        """State, risk and restart."""
        one = self.first
        if one.state != "changed":
            return f"{one.state}, {counted(len(one.files), 'file')}"
        return f"risk: {one.risk}, {_restart(one.reload)}, {counted(len(one.settings), 'setting')}"


def title(diff: Diff) -> str:
    """Return what is compared."""
    return f"Differences in {diff.fabric}: {diff.before} -> {diff.after}"


def summary(diff: Diff) -> list[str]:
    """Return the counts in a few lines."""
    one = diff.summary
    if diff.empty:
        return ["Nothing differs."]
    if diff.uncompared:
        return list(_partly(diff))
    counts = asdict(one)
    states = "{added:,} added, {removed:,} removed, {changed:,} changed".format_map(counts)
    lines = [
        f"{counted(len(diff.edits), 'inventory value')} changed",
        f"devices: {states} ({counted(counts['lines'], 'setting')})",
        *_risks(diff),
        *(f"{follows.risk}: {follows.words}" for follows in diff.consequences),
        *(_judged(diff.judged) if diff.judged else ()),
        "hosts: {hosts_changed:,} with other files, {hosts_attached:,} more at switches whose "
        "change affects traffic".format_map(counts),
    ]
    if worst := worse(diff.capacity):
        rows = [f"{one.item}: {one.before} -> {one.after}" for one in worst[:_MOST_WORSE]]
        rows += [f"{more:,} more"] if (more := len(worst) - _MOST_WORSE) > 0 else []
        lines.append(f"capacity gets worse: {'; '.join(rows)}")
    moved = [
        counted(len(rows), *words)
        for rows, words in (
            (diff.cables, ("cable",)),
            (diff.moves, ("name or number", "names or numbers")),
            (diff.figures, ("lossless figure",)),
            (diff.capacity, ("capacity figure",)),
        )
        if rows
    ]
    if diff.jobs:
        lines.append(f"jobs: {counted(len(diff.jobs), 'job')} on these hosts")
    if at_once := _from_tenant_to_tenant(diff):
        steps = "`plan` rejects that at once: revoke, plan and apply first, then grant"
        lines.append(f"from one tenant to another: {_nics(at_once)}; {steps}")
    return [*lines, *([f"also changed: {', '.join(moved)}"] if moved else [])]


def _risks(diff: Diff) -> Iterator[str]:
    """Yield the highest risk, that of applying it where it is another one, and what has it."""
    one, reload = diff.summary, _restart(diff.summary.reload)
    applying = "while it is applied"
    if one.risk == one.risk_of_applying:
        yield f"highest risk: {one.risk}, {applying}; {reload}"
    else:
        yield f"highest risk: {one.risk}, afterwards; {applying}: {one.risk_of_applying}; {reload}"
    changed = [device for device in diff.devices if device.risk == one.risk_of_applying]
    if changed and (words := _risk_words(changed)):
        yield f"{one.risk_of_applying}: {words}"


def _risk_words(devices: Sequence[Device]) -> str:
    """Return what gives devices the risk that they have; empty where it is harmless."""
    first = devices[0]
    if first.reload is None:
        more = f" and {counted(len(devices) - 1, 'other device')}" if len(devices) > 1 else ""
        why = "".join(f": {note}" for note in first.notes[:1])
        return f"traffic loss and restart of {first.name}{more}{why}"
    if not first.risk_cause:
        return ""
    return f"{counted(len(devices), 'device')}, such as {first.name}: {first.risk_cause}"


def _partly(diff: Diff) -> Iterator[str]:
    """Yield what is known where the first side is not valid."""
    yield from diff.uncompared
    if diff.edits:
        yield f"{counted(len(diff.edits), 'inventory value')} changed"
    yield f"highest risk: {diff.summary.risk}"
    yield from (f"{follows.risk}: {follows.words}" for follows in diff.consequences)
    yield from _judged(diff.judged) if diff.judged else ()


def _judged(judged: Judged) -> Iterator[str]:
    """Yield what rules and proof say of both sides."""
    parts = [(judged.new, "new"), (judged.gone, "gone")]
    parts += [(judged.changed, "with other values")] if judged.changed else []
    yield f"findings: {', '.join(_by_severity(*part) for part in parts)}"
    yield from judged.unchecked
    before, after = _proof(judged.proof_before), _proof(judged.proof_after)
    yield (
        f"proof: {before} before and after"
        if before == after
        else (f"proof: {before} before, {after} after")
    )


def _by_severity(findings: Sequence[RuleFinding], word: str) -> str:
    """Return how many findings there are, and how many of each severity."""
    counts = Counter(one.severity for one in findings)
    words = ", ".join(counted(count, name, _PLURALS[name]) for name, count in counts.items())
    return f"{len(findings):,} {word}{f' ({words})' if words else ''}"


def _proof(verdict: ProofVerdict) -> str:
    if verdict.verdict == "not run":
        return f"not run ({verdict.reason})"
    if verdict.verdict == "proved":
        return f"proved for {counted(verdict.pairs, 'pair')} of NICs"
    lost = f", {verdict.lost_pairs:,} of {counted(verdict.pairs, 'pair')} of NICs lost"
    return f"{counted(verdict.findings, 'finding')}{lost if verdict.lost_pairs else ''}"


def _rows(findings: Sequence[RuleFinding]) -> tuple[Row, ...]:
    return tuple(
        (
            one.severity,
            one.rule,
            str(one.place or "-"),
            ": ".join(
                part
                for part in (one.field, f"{one.device} {one.port}".strip(), one.message)
                if part
            ),
        )
        for one in findings
    )


def _from_tenant_to_tenant(diff: Diff) -> list[str]:
    """Return the NICs that leave one tenant for another one."""
    left = {nic for one in diff.tenants for nic in one.left}
    return sorted(left.intersection(nic for one in diff.tenants for nic in one.joined))


def parts(diff: Diff) -> list[Part]:
    """Return the tables that have rows, in their order."""
    figures = tuple(
        (one.role, one.ports_kind, one.figure, one.before, one.after, f"{one.ports:,}")
        for one in diff.figures
    )
    capacity = tuple((one.item, one.before, one.after) for one in diff.capacity)
    jobs = tuple((one.name, f"{one.hosts:,}", folded(one.touched)) for one in diff.jobs)
    touched = tuple(
        (
            one.name,
            _tenant_change(one),
            _nics(one.joined) or "-",
            _nics(one.left) or "-",
            folded(one.devices) if one.devices else "-",
        )
        for one in diff.tenants
    )
    judged = diff.judged
    alone = diff.edits if diff.uncompared else ()  # elsewhere they are causes
    headers = ("severity", "rule", "place", "finding")
    every = [
        Part("New findings", headers, _rows(judged.new if judged else ())),
        Part("Gone findings", headers, _rows(judged.gone if judged else ())),
        Part("Findings with other values", headers, _rows(judged.changed if judged else ())),
        Part("Inventory values", ("place", "field", "before", "after"), _edits(alone)),
        Part("Cables", ("change", "end", "before", "after"), _moves(diff.cables)),
        Part("Names and addresses", ("what", "where", "before", "after"), _moves(diff.moves)),
        Part("Lossless policy", ("role", "ports", "figure", "before", "after", "count"), figures),
        Part("Capacity and single failures", ("item", "before", "after"), capacity),
        Part("Jobs", ("job", "hosts", "hosts that the change touches"), jobs),
        Part(
            "Tenants",
            ("tenant", "change", "NICs that join", "NICs that leave", "devices that change"),
            touched,
        ),
    ]
    return [part for part in every if part.rows]


def _tenant_change(tenant: TouchedTenant) -> str:
    """Return how a tenant changes; of one that keeps its NICs, devices under its traffic do."""
    stays = tenant.state == "changed" and not (tenant.joined or tenant.left)
    return "same NICs" if stays else tenant.state


def _edits(edits: Sequence[Edit]) -> tuple[Row, ...]:
    return tuple(
        (str(one.place), one.field, one.before or ABSENT_TEXT, one.after or ABSENT_TEXT)
        for one in edits
    )


def _moves(moves: Sequence[Move]) -> tuple[Row, ...]:
    """Return the rows of moves; cables that get one length or speed are one row."""
    groups: dict[Row, list[str]] = {}
    for one in moves:
        key = (one.kind, one.before or "-", one.after or "-")
        own = () if one.kind in _SUMMED else (one.what,)
        groups.setdefault((*key, *own), []).append(one.what)
    return tuple(
        (key[0], ends[0] if len(ends) == 1 else f"{len(ends):,} such as {ends[0]}", *key[1:3])
        for key, ends in groups.items()
    )


def heading(cause: Cause) -> list[str]:
    """Return the inventory lines of a cause."""
    return [str(edit) for edit in cause.edits] or ["other causes: no single inventory line"]


def reach(cause: Cause) -> str:
    """Return which devices a cause changes."""
    words = [
        f"{counted(len(names), *word)} ({folded(names)})"
        for names, word in (
            (cause.switches, ("switch", "switches")),
            (cause.hosts, ("host", "hosts")),
        )
        if names
    ]
    if not words:
        return _fileless(cause) or "alone it changes no setting"
    return f"{', '.join(words)}: {counted(cause.lines, 'setting')}"


def _fileless(cause: Cause) -> str:
    """Return what a cause changes that is in no file; empty where it can change one."""
    sections = {edit.field.removeprefix("fabric.").partition(".")[0] for edit in cause.edits}
    words = {FILELESS.get(section, "") for section in sections}
    return f"changes {words.pop()}, no file" if len(words) == 1 and all(words) else ""


def alike(diff: Diff) -> list[Alike]:
    """Return the devices in groups that differ in the same way."""
    names = frozenset(device.name for device in diff.devices)
    groups = like_groups(diff.devices, lambda device: _difference(device, names))
    return [Alike(tuple(devices)) for devices in groups]


def _difference(device: Device, names: AbstractSet[str]) -> tuple[object, ...]:
    """Return what devices of one group have in common: all but what each has of its own.

    Parameters
    ----------
    names : set of str
        Of devices, which cables of a switch name with their ports.
    """
    ends: AbstractSet[str] = frozenset() if device.role == "host" else names
    rows = (tuple(text and _common(text, ends) for text in row) for row in _changes(device))
    kinds = tuple(file.rpartition("/")[2] for file in device.files)
    kind = (device.state, device.role, device.platform, device.risk, device.reload, device.notes)
    return (*kind, kinds, tuple(sorted(rows, key=str)))


def _common(text: str, names: AbstractSet[str]) -> str:
    """Return a text without addresses and own numbers, and without names and the ports after."""
    words = text.split(" ")
    for number, word in enumerate(words):
        if word.strip("\"'") in names:
            words[number : number + 2] = [_SIGN for _ in words[number : number + 2]]
    return _OWN.sub(_SIGN, " ".join(words))


def _changes(device: Device) -> tuple[tuple[str, str | None, str | None], ...]:
    return tuple((one.path, one.before, one.after) for one in device.settings)


def _nics(names: Iterable[str]) -> str:
    """Return NICs such as ``gpu001 rail 0`` in short: hosts with the same rails together."""
    rails: dict[str, list[str]] = {}
    for name in names:
        host, _, rail = name.partition(" ")
        rails.setdefault(host, []).append(rail)
    groups = like_groups(rails, lambda host: hostlist.fold(rails[host]))
    return ", ".join(f"{folded(same)} {hostlist.fold(rails[same[0]])}" for same in groups)


def hosts(diff: Diff) -> list[str]:
    """Return the hosts that the change touches, by how."""
    own = [device.name for device in diff.devices if device.role == "host"]
    rows = ((own, "files differ"), (diff.attached, "at switches whose change affects traffic"))
    return [f"{words}: {folded(names)}" for names, words in rows if names]


def folded(names: Iterable[str]) -> str:
    """Return names in short, and how many more there are when that is still long."""
    every = list(names)
    text = hostlist.fold_inside(every)
    if len(text) <= _MOST_NAMES:
        return text
    return f"{text[:_MOST_NAMES].rpartition(',')[0] or every[0]}, ..."


def _restart(reload: bool | None) -> str:  # noqa: FBT001 - one of three words
    words = {None: "reload: unknown", True: "reload needed", False: "no reload needed"}
    return words[reload]
