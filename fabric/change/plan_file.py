"""The form of a plan file, judged whole before anything of it is used."""

from __future__ import annotations

import hashlib
import json
from ipaddress import IPv4Address, IPv4Network, IPv6Address
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from fabric.change.causes import PlannedCause, PlannedCauses
from fabric.change.expectation import Expectation
from fabric.change.rollout import LeafPings, Ping, RolloutPlan, Stage, Withdrawal
from fabric.core.artefact import Artefact
from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.core.validation import own_words
from fabric.intent.policy import Priority
from fabric.intent.rollout_model import Rollout
from fabric.platforms import platforms

_MOST_FINDINGS = 50
#: The engine of pydantic takes `$` for the very end of a text.
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
_DIGEST = r"^[0-9a-f]{64}$"
Name = Annotated[str, Field(pattern=_NAME)]
Digest = Annotated[str, Field(pattern=_DIGEST)]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class ChangeForm(_Form):
    """One value that changes."""

    path: str
    before: str
    after: str
    risk: Literal["harmless", "brief loss", "port flap", "restart"]
    risk_if_up: Literal["", "brief loss", "port flap"] = ""


class ArtefactForm(_Form):
    """One rendered file."""

    platform: str
    kind: str
    path: str
    sha256: Digest
    executable: bool
    text: str

    @field_validator("path")
    @classmethod
    def _plain_path(cls, path: str) -> str:
        Artefact("", "", "", path, b"")  # refuses what leads out of the folder
        return path

    @field_validator("text")
    @classmethod
    def _is_text(cls, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("contains half a surrogate pair") from None
        return text


class ExpectationForm(_Form):
    """What a device is to see."""

    bgp: dict[str, Annotated[int, Field(ge=1, lt=2**32)]]
    lldp: dict[str, tuple[str, tuple[str, ...]]]
    pfc: dict[str, tuple[Priority, ...]]
    quantum_bytes: Annotated[int, Field(ge=1)] = 1
    daemons: tuple[Name, ...] = ()

    def expectation(self) -> Expectation:
        """Return the expectation that it stands for."""
        return Expectation(
            dict(self.bgp), dict(self.lldp), dict(self.pfc), self.quantum_bytes, self.daemons
        )


class DeviceForm(_Form):
    """What happens to one device."""

    device: Name
    platform: str
    role: str
    hostname: str
    serial: str
    mac: str
    fingerprint: Digest
    method: Literal["live", "reload", "replace", "patch", "merge", "files"]
    changes: tuple[ChangeForm, ...]
    diff: str
    artefacts: tuple[ArtefactForm, ...]
    expected: ExpectationForm
    no_net: str
    notes: tuple[str, ...] = ()
    takes_s: Annotated[int, Field(ge=0)] = 0
    one_way: str = ""
    revoked_at: tuple[Name, ...] = ()
    later: dict[str, Annotated[int, Field(ge=1)]] = {}
    due: dict[str, str] = {}
    risk: str

    @field_validator("platform")
    @classmethod
    def _known_platform(cls, platform: str) -> str:
        if platform != "host" and platform not in platforms:
            raise ValueError(f"platform {platform!r} is not supported by this version")
        return platform


class PingForm(_Form):
    """Packets from one NIC to another."""

    source_host: Name
    target_host: Name
    source: IPv4Address | IPv6Address
    target: IPv4Address | IPv6Address
    packet_bytes: Annotated[int, Field(ge=68, le=65_535)]
    traffic_class_byte: Annotated[int, Field(ge=0, le=255)]

    def ping(self) -> Ping:
        """Return it as the plan has it."""
        rest = self.model_dump(exclude={"source", "target"})
        return Ping(source=str(self.source), target=str(self.target), **rest)


class WithdrawalForm(_Form):
    """Subnets that leave the VRF of a tenant, and the leaves that may not have them then."""

    leaf: Name
    vrf: Name
    prefixes: tuple[IPv4Network, ...]
    systems: dict[Name, str]
    unasked: dict[Name, str]
    silent: str

    @field_validator("systems")
    @classmethod
    def _known_systems(cls, systems: dict[str, str]) -> dict[str, str]:
        for system in systems.values():
            if system not in platforms:
                raise ValueError(f"platform {system!r} is not supported by this version")
        return systems

    def withdrawal(self) -> Withdrawal:
        """Return it as the plan has it."""
        prefixes = tuple(map(str, self.prefixes))
        return Withdrawal(prefixes=prefixes, **self.model_dump(exclude={"prefixes"}))


class StageForm(_Form):
    """A wave of a roll-out."""

    kind: str
    names: tuple[Name, ...]
    left_percent: float
    lost_rails: int
    cut_pairs: int
    pings: tuple[PingForm, ...]
    hosts: str
    jobs: tuple[str, ...] = ()
    denied: tuple[PingForm, ...] = ()
    joined: tuple[PingForm, ...] = ()
    withdrawn: tuple[WithdrawalForm, ...] = ()
    left_of: str = ""

    def stage(self) -> Stage:
        """Return it as the plan has it."""
        rest = self.model_dump(exclude={"pings", "denied", "joined", "withdrawn"})
        forms = (self.pings, self.denied, self.joined)
        pings, denied, joined = (tuple(one.ping() for one in own) for own in forms)
        withdrawn = tuple(one.withdrawal() for one in self.withdrawn)
        return Stage(pings=pings, denied=denied, joined=joined, withdrawn=withdrawn, **rest)


class LeafPingsForm(_Form):
    """What is pinged without a roll-out."""

    pings: dict[Name, PingForm]
    silent: str
    denied: dict[Name, PingForm] = {}
    joined: dict[Name, tuple[PingForm, ...]] = {}
    unjoined: str = ""
    withdrawn: tuple[WithdrawalForm, ...] = ()

    def plan(self) -> LeafPings:
        """Return it as the plan has it."""
        pings, denied = (
            {name: form.ping() for name, form in own.items()} for own in (self.pings, self.denied)
        )
        joined = {name: tuple(form.ping() for form in own) for name, own in self.joined.items()}
        withdrawn = tuple(one.withdrawal() for one in self.withdrawn)
        return LeafPings(pings, self.silent, denied, joined, self.unjoined, withdrawn)


class RolloutForm(_Form):
    """How the plan goes through the fabric."""

    policy: Rollout
    stages: tuple[StageForm, ...]
    hazards: tuple[str, ...]
    jobs: tuple[str, ...] = ()

    def plan(self) -> RolloutPlan:
        """Return it as the plan has it."""
        stages = tuple(stage.stage() for stage in self.stages)
        return RolloutPlan(self.policy, stages, self.hazards, self.jobs)


class OriginForm(_Form):
    """What the plan was made of."""

    inventory: str
    sha256: Digest
    revision: str
    version: str
    made: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    author: Annotated[str, Field(max_length=200)] = ""
    approvals: Annotated[int, Field(ge=0, le=9)] = 0


class MissingForm(_Form):
    """A device that could not be read."""

    reason: str
    risk: str


class CauseForm(_Form):
    """Changes that have one cause."""

    edits: tuple[str, ...]
    topic: str
    devices: tuple[Name, ...]
    changes: Annotated[int, Field(ge=1)]
    example_device: Name
    example: str


class CausesForm(_Form):
    """Why devices change."""

    causes: tuple[CauseForm, ...]
    since: str
    less_protection: tuple[str, ...]

    def plan(self) -> PlannedCauses:
        """Return them as the plan has them."""
        causes = tuple(PlannedCause(**cause.model_dump()) for cause in self.causes)
        return PlannedCauses(causes, self.since, self.less_protection)


class PlanForm(_Form):
    """The whole file, without the digest that is compared before."""

    format: int
    fabric: str
    origin: OriginForm | None = None
    waves: tuple[tuple[Name, ...], ...]
    unchanged: tuple[Name, ...]
    missing: dict[Name, MissingForm] = {}
    devices: dict[Name, DeviceForm]
    rollout: RolloutForm | None = None
    leaf_pings: LeafPingsForm | None = None
    hazards: tuple[str, ...] = ()
    why: CausesForm | None = None


def judged(data: dict[str, Any], path: str) -> PlanForm:
    """Return the content of a plan file.

    Raises
    ------
    InputError
        When it is not as `rocefab plan` writes it; all that is wrong with it is in its findings.
    """
    try:
        # As JSON again: strict means that lists are tuples in it, and numbers no texts.
        form = PlanForm.model_validate_json(json.dumps(data))
    except ValidationError as error:
        # Not chained: the text of pydantic quotes the values, and one may be a secret.
        problems = [
            (_place(item["loc"]), _message(item["msg"]))
            for item in error.errors(include_url=False, include_input=False)
        ]
        raise _refusal(path, problems) from None
    problems = list(_contradictions(form))
    if problems:
        raise _refusal(path, problems)
    return form


def _contradictions(form: PlanForm) -> list[tuple[str, str]]:
    """Return where parts of a plan contradict each other."""
    ordered = [name for wave in form.waves for name in wave]
    problems = [
        (f"waves: {name}", "the file has no plan for this device")
        for name in ordered
        if name not in form.devices
    ]
    problems += [
        (f"waves: {name}", "the device is in more than one wave")
        for name in sorted({name for name in ordered if ordered.count(name) > 1})
    ]
    for name, device in form.devices.items():
        place = f"devices.{name}"
        if name not in ordered:
            problems.append((place, "the device is in no wave"))
        if device.device != name:
            problems.append((f"{place}.device", f"names a different device, {device.device!r}"))
        for number, item in enumerate(device.artefacts):
            if hashlib.sha256(item.text.encode()).hexdigest() != item.sha256:
                problems.append((f"{place}.artefacts[{number}].sha256", "does not match the text"))
    return problems


def _place(keys: tuple[int | str, ...]) -> str:
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return text.removeprefix(".").removesuffix(".[key]")


def _message(text: str) -> str:
    plain = own_words(text)
    return plain[:1].lower() + plain[1:]


def _refusal(path: str, problems: list[tuple[str, str]]) -> InputError:
    fix = "run `rocefab plan` again"
    findings = [
        Finding("PLN001", Severity.ERROR, message, fix, place, Position(path))
        for place, message in problems[:_MOST_FINDINGS]
    ]
    more = len(problems) - len(findings)
    tail = f" (the first {len(findings)} are shown)" if more else ""
    return InputError(
        f"{counted(len(problems), 'error')} in {path}{tail}; run `rocefab plan` again", findings
    )
