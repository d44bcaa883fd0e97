"""Judges switches by facts about known defects: on their design, or on what a file says of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from fabric.core.errors import RenderError
from fabric.core.findings import Finding, Severity
from fabric.core.registry import Registry
from fabric.defects.conditions import Bounds
from fabric.platforms import platforms
from fabric.topology.hardware import planned_release
from fabric.validate.defect_lines import LinesContent
from fabric.validate.defect_traits import TRAIT_FIELDS, traits_of_design
from fabric.validate.rule import SwitchRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from fabric.core.artefact import Artefact
    from fabric.defects.conditions import ConfigCondition, Traits
    from fabric.defects.fact import Fact
    from fabric.design.model import DeviceDesign
    from fabric.validate.places import Places
    from fabric.validate.world import Configuration, Model, Place, World


class FileContent(Protocol):
    """What a configuration file says, as tests of facts ask for it."""

    def holds(self, test: ConfigCondition, /) -> bool:
        """Tell whether a test holds of it."""

    def place(self, test: ConfigCondition, /) -> Place | None:
        """Return where the row or line of a test stands, if it is there."""


@dataclass(frozen=True)
class Judged:
    """A switch as facts see it; what is not known is empty."""

    device: str
    system: str
    asic: str = ""
    model: str = ""
    release: str = ""
    traits: Mapping[str, frozenset[Any]] = field(default_factory=dict)
    content: FileContent | None = None


#: By system: what it renders for a switch, where that is not lines.
rendered_contents: Registry[Callable[[Sequence[Artefact]], FileContent]] = Registry(
    "rendered content for facts about defects", plugins="defects"
)
#: By system: a configuration of it for facts; None where it is of another system.
judged_files: Registry[Callable[[Configuration, World], Judged | None]] = Registry(
    "reading for facts about defects", plugins="defects"
)


class DefectRule(SwitchRule):
    """A known defect strikes no switch.

    Parameters
    ----------
    fact : Fact
        What it judges by.
    """

    def __init__(self, fact: Fact) -> None:
        super().__init__(fact.id)
        self.fact = fact
        self.severity, self.why, self.source = fact.level, fact.effect, fact.source
        asked = fact.design.asked if fact.design else ()
        fields = ("platforms.leaf.sku", "platforms.leaf.release")
        self.guards = (*fields, *(TRAIT_FIELDS[name] for name in asked))

    @property
    def title(self) -> str:
        """What is wrong where it strikes."""
        return self.fact.title

    def subjects(self, world: World) -> Sequence[tuple[Any, ...]] | None:
        """Return the model, and configurations that did not come of it."""
        given = [one for one in world.configurations if not one.is_rendered]
        files = [judged for one in given if (judged := _judged(one, world))]
        models = [(world.model,)] if world.model else []
        return [*models, *((judged,) for judged in files)] if models or given else None

    def check(self, subject: Model | Judged, /) -> Iterator[Finding]:
        """Judge every switch of a model, or one configuration."""
        if isinstance(subject, Judged):
            yield from defects_of(subject, [self.fact])
        else:
            yield from super().check(subject)

    def check_switch(self, places: Places, device: DeviceDesign, /) -> Iterator[Finding]:
        """Judge the design of a switch."""
        yield from designed_defects(places, device, [self.fact])


def _judged(config: Configuration, world: World) -> Judged | None:
    """Return a configuration for facts; None where no system reads it for them."""
    readings = (judged_files[system](config, world) for system in judged_files)
    return next((judged for judged in readings if judged), None)


def designed_defects(
    places: Places, device: DeviceDesign, facts: Iterable[Fact]
) -> Iterator[Finding]:
    """Yield the known defects that strike a switch of an inventory."""
    kind = (device.platform, device.sku.asic, device.sku.name)
    relevant = [fact for fact in facts if fact.is_judged and fact.is_about(*kind)]
    if not relevant:
        return
    release = planned_release(places.intent, device.name, device.role)
    judged = Judged(device.name, *kind, release, traits_of_design(device))
    for fact in relevant:
        finding = _finding(fact, judged) if is_like(fact, judged) else None
        if not finding:
            continue
        content = _rendered(_Same(device)) if fact.config else None
        if not fact.config or (content and all(content.holds(test) for test in fact.config)):
            trait = next(iter(fact.design.asked), "") if fact.design else ""
            place = _place_of_trait(places, device, trait)
            yield replace(finding, field=place.field, position=place.position)


class _Same:
    """A switch design that is only equal to itself."""

    def __init__(self, device: DeviceDesign) -> None:
        self.device = device

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.device is other.device

    def __hash__(self) -> int:
        return id(self.device)


@lru_cache(1)  # facts are asked of one switch after the other
def _rendered(same: _Same) -> FileContent | None:
    """Return what is rendered for a switch; None where it cannot be, which check reports."""
    from fabric.render import render_device

    device = same.device
    try:
        files = render_device(device)
    except RenderError:
        return None
    if device.platform in rendered_contents:
        return rendered_contents[device.platform](files)
    return LinesContent(device.platform, files[0].text) if files else None


def defects_of(judged: Judged, facts: Iterable[Fact]) -> Iterator[Finding]:
    """Yield the known defects that strike a switch by its configuration."""
    for fact in facts:
        content, tests = judged.content, fact.config
        if not (fact.is_judged and is_like(fact, judged)):
            continue
        if tests and not (content and all(content.holds(test) for test in tests)):
            continue
        finding = _finding(fact, judged)
        if finding:
            places = (content.place(test) for test in tests) if content else iter(())
            place = next((place for place in places if place), None)
            at = place.position if place else finding.position
            yield replace(finding, position=at, field=place.field if place else "")


def is_like(fact: Fact, judged: Judged) -> bool:
    """Tell whether a switch is of the kind of a fact, and like it."""
    is_about = fact.is_about(judged.system, judged.asic, judged.model)
    return is_about and (fact.design is None or _has(fact.design, judged.traits))


def _has(asked: Traits, traits: Mapping[str, frozenset[Any]]) -> bool:
    """Tell whether a switch has all traits that are asked for; what is not known it has not."""
    for name, wanted in asked.asked.items():
        values = traits.get(name, frozenset())
        if isinstance(wanted, Bounds):
            fits = any(wanted.holds(value) for value in values)
        else:
            words = wanted if isinstance(wanted, tuple) else (wanted,)
            fits = not values.isdisjoint(words)
        if not fits:
            return False
    return True


def _finding(fact: Fact, judged: Judged) -> Finding | None:
    """Return what is said of a switch that has a defect; None where its release has it not."""
    strikes = fact.strikes(judged.system, judged.release)
    title = platforms[judged.system].title if judged.system in platforms else judged.system
    fix = "; ".join((fact.workaround, *fact.ends))
    if strikes:
        words = f"known defect of {title} {judged.release}".rstrip()
        return Finding(fact.id, fact.level, f"{words}: {fact.title}", fix, device=judged.device)
    if strikes is None and fact.level > Severity.INFO:
        known = f"{judged.release!r} does not tell" if judged.release else "is not known"
        words = f"may have a defect of {title} {fact.range_words}, the release {known}"
        return Finding(fact.id, Severity.INFO, f"{words}: {fact.title}", fix, device=judged.device)
    return None


def _place_of_trait(places: Places, device: DeviceDesign, trait: str) -> Place:
    """Return where the inventory sets what a trait follows from, else the switch model."""
    group, _, name = TRAIT_FIELDS.get(trait, "").partition(".")
    if group == "lossless":
        return places.policy_place(name, device.name)
    if group == "platforms":
        return places.hardware_place(device, name.rpartition(".")[2])
    return places.sku_place(device)


def aged(findings: Iterable[Finding], facts: Mapping[str, Fact], today: date) -> list[Finding]:
    """Return findings in which a fact that nobody confirmed for too long says so."""
    return [
        replace(finding, message=f"{finding.message}{fact.age_words(today)}")
        if (fact := facts.get(finding.rule))
        else finding
        for finding in findings
    ]
