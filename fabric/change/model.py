"""What a plan consists of, and its file form."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from enum import IntEnum
from functools import cached_property
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from fabric.change.expectation import Expectation
from fabric.change.origin import Origin
from fabric.change.plan_file import DeviceForm, judged
from fabric.core.artefact import Artefact
from fabric.core.errors import FileError, PlanError
from fabric.core.file_kinds import FileKind
from fabric.core.json_text import indented, parse_json
from fabric.core.user_files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from fabric.change.causes import PlannedCauses
    from fabric.change.rollout import LeafPings, RolloutPlan

#: Begins the line of a device whose change is never undone.
ONE_WAY = "ONE WAY"
PLAN_FORMAT = 3
#: The form before had no origin; plans in journals may have it.
_READABLE = (2, PLAN_FORMAT)


class Risk(IntEnum):
    """What a change does to traffic."""

    HARMLESS = 0
    BRIEF_LOSS = 1
    PORT_FLAP = 2
    RESTART = 3

    @property
    def word(self) -> str:
        """Name as printed."""
        return self.name.lower().replace("_", " ")

    @classmethod
    def from_word(cls, word: str) -> Risk:
        """Return the risk that is printed as ``word``."""
        return cls[word.upper().replace(" ", "_")]


@dataclass(frozen=True, slots=True)
class Change:
    """One value that changes; ``before`` or ``after`` is empty when it appears or vanishes.

    ``if_up`` is its risk on a port that is up, where ``risk`` is harmless as the port is shut.
    """

    path: str
    before: str
    after: str
    risk: Risk
    if_up: Risk | None = None

    @property
    def risk_if_up(self) -> Risk:
        """What it does to traffic where its port is up, as after it."""
        return self.risk if self.if_up is None else self.if_up


def worst_of(changes: Iterable[Change], method: str) -> tuple[Risk, str]:
    """Return the highest risk of changes, and the path of the first that has it.

    A reload is a restart whatever changes. The path is empty where all is harmless.
    """
    worst = max(changes, key=lambda change: change.risk, default=None)
    if method == "reload" and (worst is None or worst.risk < Risk.RESTART):
        return Risk.RESTART, "reload of the configuration"
    if worst is None or worst.risk is Risk.HARMLESS:
        return Risk.HARMLESS, ""
    return worst.risk, worst.path


@dataclass(frozen=True, slots=True)
class DevicePlan:
    """What happens to one device.

    Parameters
    ----------
    hostname, serial, mac : str
        Who answered when the plan was made.
    fingerprint : str
        Of the running state that the plan was made against.
    method : str
        How it is applied; the words are those of `devices.candidate`.
    changes : tuple of Change
        What changes, for counting and judging.
    diff : str
        The same for reading.
    artefacts : tuple of Artefact
        What was rendered for the device.
    expected : Expectation
        What the device is to see once the fabric runs.
    no_net : str
        Why nothing on the device rolls an unconfirmed change back; empty where its timer does.
    takes_s : int
        Seconds that the device works on the change, where that is known; 0 where it is not.
    notes : tuple of str
        What a person is to know before it is done: how long it takes, what goes down.
    one_way : str
        Why it is never undone: it takes ports out of a tenant. Then no timer runs either. Empty
        for all other changes.
    revoked_at : tuple of str
        Of a host: switches that take a port of it out of a tenant.
    later : dict of str to int
        Sessions that are no fault after its wave: their peers change later. By session the number
        of the wave that brings it up.
    due : dict of str to str
        Sessions that a wave before took down and its wave brings up, with the own port of each.
    """

    device: str
    platform: str
    role: str
    hostname: str
    serial: str
    mac: str
    fingerprint: str
    method: str
    changes: tuple[Change, ...]
    diff: str
    artefacts: tuple[Artefact, ...] = field(repr=False)
    expected: Expectation = field(default_factory=Expectation)
    no_net: str = ""
    notes: tuple[str, ...] = ()
    takes_s: int = 0
    one_way: str = ""
    revoked_at: tuple[str, ...] = ()
    later: Mapping[str, int] = field(default_factory=dict)
    due: Mapping[str, str] = field(default_factory=dict)

    @property
    def risk(self) -> Risk:
        """The worst of its changes, or restart when the method is one."""
        return worst_of(self.changes, self.method)[0]

    @property
    def risk_if_up(self) -> Risk:
        """The same where ports that it opens are up: the risk of a rollback."""
        worst = max((change.risk_if_up for change in self.changes), default=Risk.HARMLESS)
        return max(self.risk, worst)

    def timer_s(self, wanted_s: int) -> int:
        """Return the commit timer in seconds, 0 where the device has none."""
        return 0 if self.no_net or self.one_way else wanted_s


@dataclass(frozen=True, slots=True)
class Missing:
    """A device that is not in a plan: why it could not be read, and what that risks."""

    reason: str
    risk: str


@dataclass(frozen=True)
class Plan:
    """The changes of a fabric in the order in which they are made.

    Parameters
    ----------
    waves : tuple of tuple of str
        Device names; a wave begins when the one before is confirmed.
    missing : dict
        Devices that could not be read, with why and at what risk.
    origin : Origin or None
        What it was made of, where that is known.
    rollout : RolloutPlan or None
        Gates and times of the waves, where the plan is rolled out by the inventory's policy.
    leaf_pings : LeafPings or None
        What is pinged where it is not, or has no pings of its own; None in a plan of an earlier
        version.
    hazards : tuple of str
        Where it is not: what is wrong between two waves, and neither before nor after all of them.
    why : PlannedCauses or None
        Why its devices change; None where nothing does, and in a plan of an earlier version.
    """

    fabric: str
    waves: tuple[tuple[str, ...], ...]
    devices: dict[str, DevicePlan]
    unchanged: tuple[str, ...] = ()
    rollout: RolloutPlan | None = None
    origin: Origin | None = None
    missing: dict[str, Missing] = field(default_factory=dict)
    leaf_pings: LeafPings | None = None
    hazards: tuple[str, ...] = ()
    why: PlannedCauses | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing changes."""
        return not self.devices

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the file form."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def to_json(self) -> str:
        """Return the file form, with a digest that shows edits."""
        body = {
            "format": PLAN_FORMAT,
            "fabric": self.fabric,
            "origin": asdict(self.origin) if self.origin else None,
            "waves": [list(wave) for wave in self.waves],
            "unchanged": list(self.unchanged),
            **({"rollout": self.rollout.as_dict()} if self.rollout else {}),
            **({"leaf_pings": asdict(self.leaf_pings)} if self.leaf_pings else {}),
            **({"hazards": list(self.hazards)} if self.hazards else {}),
            **({"why": asdict(self.why)} if self.why else {}),
            "missing": {name: asdict(item) for name, item in self.missing.items()},
            "devices": {name: _device_json(plan) for name, plan in self.devices.items()},
        }
        return indented({"digest": _digest(body), **body}) + "\n"


def _device_json(plan: DevicePlan) -> dict[str, Any]:
    data = _shallow(plan)
    data["expected"] = _shallow(plan.expected)
    data["risk"] = plan.risk.word
    data["changes"] = [
        {
            "path": c.path,
            "before": c.before,
            "after": c.after,
            "risk": c.risk.word,
            **({"risk_if_up": c.if_up.word} if c.if_up is not None else {}),
        }
        for c in plan.changes
    ]
    data["artefacts"] = [
        {
            "platform": item.platform,
            "kind": item.kind,
            "path": item.path,
            "sha256": item.sha256,
            "executable": item.executable,
            "text": item.text,
        }
        for item in plan.artefacts
    ]
    return data


def _shallow(item: DevicePlan | Expectation) -> dict[str, Any]:
    """Return the fields by name; `asdict` copies what is in them, one value after the other."""
    return {one.name: getattr(item, one.name) for one in fields(item)}


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def read_plan(path: Path) -> Plan:
    """Return the plan of a file.

    Raises
    ------
    PlanError
        When the file is not a plan, was made by another version, or was edited.
    """
    try:
        text = read_text(path, FileKind.PLAN)
    except FileError as error:
        if path.is_dir():
            ways = f"`rocefab plan {path} --out plan.json`, then `rocefab apply plan.json`"
            raise PlanError(f"{path}: {error.finding.message}; run {ways}") from error
        raise PlanError(f"{path}: {error.reason}") from error
    return parse_plan(text, str(path))


def parse_plan(text: str, path: str) -> Plan:
    """Return the plan of a text; ``path`` is how messages name it.

    Raises
    ------
    PlanError
        When the text is not a plan, was made by another version, or was edited.
    """
    try:
        data = parse_json(text)
        digest, form = data.pop("digest"), data["format"]
    except JSONDecodeError as error:
        place = f"{path}:{error.lineno}:{error.colno}"
        fix = "create one with `rocefab plan`"
        raise PlanError(f"{place}: this is not a plan file; {fix}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise PlanError(f"{path} is not a plan file; create one with `rocefab plan`") from error
    if form not in _READABLE:
        raise PlanError(
            f"{path} has plan format {form!r}, this version reads format {PLAN_FORMAT}; run "
            "`rocefab plan` again"
        )
    if digest != _digest(data):
        raise PlanError(
            f"{path} was modified after `rocefab plan` wrote it; run `rocefab plan` again"
        )
    whole = judged(data, path)
    return Plan(
        fabric=whole.fabric,
        origin=Origin(**whole.origin.model_dump()) if whole.origin else None,
        waves=whole.waves,
        unchanged=whole.unchanged,
        rollout=whole.rollout.plan() if whole.rollout else None,
        leaf_pings=whole.leaf_pings.plan() if whole.leaf_pings else None,
        hazards=whole.hazards,
        why=whole.why.plan() if whole.why else None,
        missing={name: Missing(item.reason, item.risk) for name, item in whole.missing.items()},
        devices={name: _device_plan(name, item) for name, item in whole.devices.items()},
    )


def _device_plan(name: str, form: DeviceForm) -> DevicePlan:
    return DevicePlan(
        device=name,
        platform=form.platform,
        role=form.role,
        hostname=form.hostname,
        serial=form.serial,
        mac=form.mac,
        fingerprint=form.fingerprint,
        method=form.method,
        diff=form.diff,
        no_net=form.no_net,
        changes=tuple(
            Change(
                *(item.path, item.before, item.after, Risk.from_word(item.risk)),
                if_up=Risk.from_word(item.risk_if_up) if item.risk_if_up else None,
            )
            for item in form.changes
        ),
        artefacts=tuple(
            Artefact(name, item.platform, item.kind, item.path, item.text.encode(), item.executable)
            for item in form.artefacts
        ),
        expected=form.expected.expectation(),
        notes=form.notes,
        takes_s=form.takes_s,
        one_way=form.one_way,
        revoked_at=form.revoked_at,
        later=form.later,
        due=form.due,
    )
