"""Rules: one class each, registered by id."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fabric.design.model import DeviceDesign
    from fabric.design.qos_model import QosProfile
    from fabric.intent.classes import LosslessClass
    from fabric.topology.site import Member
    from fabric.validate.kinds import LosslessKind
    from fabric.validate.places import Places
    from fabric.validate.world import Configuration, Model, Place, World

#: Ports that a finding about many ports of one switch names.
MAX_PORTS_NAMED = 4


class Rule(ABC):
    """Base of all rules; the first line of the docstring is the title.

    Attributes
    ----------
    severity : Severity
        Of its findings, unless a finding says otherwise.
    lesser : Severity or None
        Of those that say otherwise, where an inventory with them is rendered all the same.
    why : str
        What happens in the network when the rule is broken.
    source : str
        Standard, vendor page or repository and path that the rule rests on.
    guards : tuple of str
        Inventory fields that the rule looks at; ``explain`` names the rule beside them.
    """

    severity: Severity = Severity.ERROR
    lesser: Severity | None = None
    why: str
    source: str
    guards: tuple[str, ...]

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Refuse a rule of a plug-in that does not say what it judges.

        Raises
        ------
        InputError
            Naming the class, and what it lacks.
        """
        if missing := sorted(cls.__abstractmethods__):
            name, lacks = f"{cls.__module__}.{cls.__name__}", " and ".join(missing)
            raise InputError(f"the rule {name} lacks {lacks}; see docs/add-a-platform.md")
        return super().__new__(cls)

    def __init__(self, rule_id: str) -> None:
        self.id = rule_id

    @property
    def title(self) -> str:
        """First line of the docstring, without the full stop."""
        return (type(self).__doc__ or "").strip().splitlines()[0].rstrip(".")

    @abstractmethod
    def subjects(self, world: World) -> Sequence[tuple[Any, ...]] | None:
        """Return what `check` takes, one after the other; None when the world lacks it."""

    @abstractmethod
    def check(self, *subject: Any) -> Iterator[Finding]:
        """Yield what is wrong with a subject."""

    def settled(
        self,
        findings: list[Finding],
        subject: tuple[Any, ...],  # noqa: ARG002
        world: World,  # noqa: ARG002
    ) -> Iterable[Finding]:
        """Return the findings about a subject as they are reported."""
        return findings

    def finding(
        self,
        message: str,
        fix: str,
        *,
        place: Place | None = None,
        device: str = "",
        port: str = "",
        severity: Severity | None = None,
        is_example: bool = False,
    ) -> Finding:
        """Return a finding of this rule."""
        return Finding(
            rule=self.id,
            severity=severity or self.severity,
            message=message,
            fix=fix,
            field=place.field if place else "",
            position=place.position if place else None,
            device=device,
            port=port,
            is_default=place is not None and not place.written,
            is_example=is_example,
        )

    def of_kind(
        self,
        kind: LosslessKind,
        message: str,
        fix: str,
        place: Place,
        severity: Severity | None = None,
    ) -> Finding:
        """Return a finding about all ports with one lossless buffer, with the first as example."""
        return self.finding(
            message,
            fix,
            place=place,
            device=kind.device.name,
            port=kind.port.name,
            severity=severity,
            is_example=True,
        )


class DescribedRule(Rule):
    """A rule that other rooms judge by; here it has its words alone.

    Parameters
    ----------
    fix : str
        What to do about its findings.
    looks_at : str
        What it judges, in a word.
    """

    def __init__(
        self,
        rule_id: str,
        severity: Severity,
        title: str,
        why: str,
        fix: str,
        source: str,
        looks_at: str = "files",
    ) -> None:
        super().__init__(rule_id)
        self.looks_at = looks_at
        self.severity, self.why, self.fix, self.source = severity, why, fix, source
        self.guards = ()
        self._title = title

    @property
    def title(self) -> str:
        """What holds when the rule is kept."""
        return self._title

    def subjects(self, world: World) -> None:
        """Return None: an inventory is not what it looks at."""

    def check(self, *subject: Any) -> Iterator[Finding]:  # noqa: ARG002
        """Yield nothing."""
        return iter(())


class ModelRule(Rule):
    """A rule about the inventory and what follows from it."""

    def subjects(self, world: World) -> Sequence[tuple[Any, ...]] | None:
        """Return the model, if there is one."""
        return [(world.model,)] if world.model else None

    @abstractmethod
    def check(self, model: Model, /) -> Iterator[Finding]:
        """Yield what is wrong with a model."""


class SwitchRule(ModelRule):
    """A rule about each switch by itself, which is asked where the switch is designed.

    It sees the design of that switch, and where the inventory says so; of other devices it may
    see nothing, as its answer is kept until the switch changes.
    """

    def check(self, model: Model, /) -> Iterator[Finding]:
        """Check every switch."""
        for device in model.devices.values():
            yield from self.check_switch(model, device)

    @abstractmethod
    def check_switch(self, places: Places, device: DeviceDesign, /) -> Iterator[Finding]:
        """Yield what is wrong with a switch."""


class Wrong(NamedTuple):
    """What is wrong with a field of a policy, and what to do."""

    field: str
    message: str
    fix: str
    severity: Severity | None = None


class _PlacingRule(SwitchRule):
    """A rule whose findings stand where a field of a policy was set."""

    def _placed(
        self, places: Places, device: DeviceDesign, profile: QosProfile, wrong: Wrong
    ) -> Finding:
        place = places.profile_place(wrong.field, device, profile)
        return self.finding(
            wrong.message, wrong.fix, place=place, device=device.name, severity=wrong.severity
        )


class PolicyRule(_PlacingRule):
    """A rule about each policy of each switch."""

    def check_switch(self, places: Places, device: DeviceDesign, /) -> Iterator[Finding]:
        """Judge the policies, and place what is wrong where its field was set."""
        for profile in device.qos_profiles:
            for wrong in self.judge(device, profile):
                yield self._placed(places, device, profile, wrong)

    @abstractmethod
    def judge(self, device: DeviceDesign, profile: QosProfile, /) -> Iterator[Wrong]:
        """Yield what is wrong with a policy of a switch."""


class ClassRule(_PlacingRule):
    """A rule about each lossless class of each policy of each switch."""

    def check_switch(self, places: Places, device: DeviceDesign, /) -> Iterator[Finding]:
        """Judge the classes, and name the class where there are several."""
        for profile in device.qos_profiles:
            for one in profile.classes:
                for wrong in self.judge_class(device, profile, one):
                    field, message = one.field(wrong.field), f"{one.title}{wrong.message}"
                    named = wrong._replace(field=field, message=message)
                    yield self._placed(places, device, profile, named)

    @abstractmethod
    def judge_class(
        self, device: DeviceDesign, profile: QosProfile, one: LosslessClass, /
    ) -> Iterator[Wrong]:
        """Yield what is wrong with a class; fields are those of a policy without a list."""


class SiteRule(Rule):
    """A rule about two fabrics of a site; what it finds stands in the second of them."""

    def subjects(self, world: World) -> Sequence[tuple[Member, Member]] | None:
        """Return the fabric with each that it stands beside, if there is any."""
        return [*world.model.site.pairs()] if world.model and world.model.site else None

    @abstractmethod
    def check(self, first: Member, second: Member, /) -> Iterator[Finding]:
        """Yield what does not go together; the name of the first fabric sorts first."""


class FileRule(Rule):
    """A rule about one configuration, whoever wrote it; each system has a base of its own.

    Attributes
    ----------
    file_type : type
        Class of the configurations that it looks at.
    looks_at : str
        What it judges, in a word.
    judges_rendered : bool
        False where a rule about the model says the same of what comes of an inventory.
    """

    file_type: ClassVar[type[Configuration]]
    looks_at: ClassVar[str]
    judges_rendered: ClassVar[bool] = True

    def subjects(self, world: World) -> Sequence[tuple[Configuration]] | None:
        """Return each configuration that it judges, if there is any."""
        files = [one for one in world.configurations if isinstance(one, self.file_type)]
        judged = [(one,) for one in files if self.judges_rendered or not one.is_rendered]
        return judged if files else None

    def settled(
        self, findings: list[Finding], subject: tuple[Any, ...], world: World
    ) -> Iterable[Finding]:
        """Give findings their lines; those of many ports are one."""
        placed = [self.placed(finding, *subject) for finding in findings]
        return placed if world.row_by_row else by_port(placed)

    @abstractmethod
    def check(self, config: Any, /) -> Iterator[Finding]:
        """Yield what is wrong with the configuration of one switch."""

    def placed(self, finding: Finding, config: Configuration) -> Finding:  # noqa: ARG002
        """Return a finding with its line, where it is about a file."""
        return finding

    def at(
        self,
        config: Configuration,
        path: tuple[str, ...],
        message: str,
        fix: str,
        *,
        port: str = "",
        severity: Severity | None = None,
    ) -> Finding:
        """Return a finding about a part of a configuration."""
        return self.finding(
            message,
            fix,
            place=config.place(*path),
            device=config.device,
            port=port,
            severity=severity,
        )


def by_port(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Make one finding, at the place of the first, of those that differ in the port alone."""
    groups: dict[Finding, list[Finding]] = {}
    for finding in findings:
        key = replace(finding, port="", position=None, field="")
        groups.setdefault(key, []).append(finding)
    for group in groups.values():
        finding, names = group[0], [one.port for one in group]
        distinct = sorted({name for name in names if name}, key=hostlist.natural_key)
        few, rest = ", ".join(distinct[:MAX_PORTS_NAMED]), len(distinct) - MAX_PORTS_NAMED
        more = f" and {rest} more" if rest > 0 else ""
        yield replace(finding, port=f"{few}{more}")


rules: Registry[Callable[[str], Rule]] = Registry("rule", "fabric.validate.rules", plugins="rules")
#: What the rules of an area, the letters of their ids, are about; ids of a system's ``rule_prefix``
#: need none.
areas: Registry[str] = Registry("area of rules", "fabric.validate.rules", plugins="rules")
