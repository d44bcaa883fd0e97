"""What is made of one device, and the form in which it is kept between runs.

These stand here, so that a process that works for another finds them; what they need is imported
when something is made, not when everything is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fabric.core.errors import InputError, RenderError, UnsupportedError
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabric.core.artefact import Artefact
    from fabric.design.model import DeviceDesign
    from fabric.render.manifest import Written
    from fabric.validate.places import Places
    from fabric.validate.rule import SwitchRule
    from fabric.validate.runner import Outcome

T = TypeVar("T")
#: A rendering that fails is a finding under this name; the other rules have classes.
RENDERING = "REN001"
_RENDERED = "correct the value, or choose a model that `rocefab show platforms` lists as rendered"


@dataclass(frozen=True)
class Keep(Generic[T]):
    """How results of a stage are kept between runs.

    Parameters
    ----------
    key : callable
        From an input to all that the result follows from, besides the code.
    write : callable
        From a result to bytes; None is not kept.
    read : callable
        From bytes to what is known of the result again, which may be less than it was.
    """

    key: Callable[[Any], bytes]
    write: Callable[[T], bytes | None]
    read: Callable[[bytes], Any]


@dataclass(frozen=True)
class Stage(Generic[T]):
    """What is made, by a function of one input and nothing else.

    Parameters
    ----------
    kind : str
        What is made; part of the key of what is kept.
    counted : str
        What progress counts, in the plural.
    make : callable
        One that another process finds.
    timed : str
        Stage of the command that its time counts for.
    keep : Keep, optional
        Where results are kept.
    """

    kind: str
    counted: str
    make: Callable[[Any], T]
    timed: str = "render"
    keep: Keep[T] | None = None


@dataclass(frozen=True)
class Rendering:
    """Renders a device by its row.

    Parameters
    ----------
    design : callable
        From a row to the design.
    render : callable
        From the design to its files.
    """

    design: Callable[[int], Any]
    render: Callable[[Any], list[Artefact]]

    def __call__(self, row: int) -> list[Artefact]:
        """Return the files of a device."""
        return self.render(self.design(row))


@dataclass(frozen=True)
class SwitchRendering:
    """Renders a switch by its row.

    Parameters
    ----------
    design : callable
        From a row to the design.
    places : Places
        Where the inventory says so.
    """

    design: Callable[[int], DeviceDesign]
    places: Places

    def __call__(self, row: int) -> list[Artefact]:
        """Return the files of a switch.

        Raises
        ------
        UnsupportedError
            When it cannot be rendered; its findings say where the inventory asks for that.
        """
        design = self.design(row)
        try:
            return rendered_switch(design)
        except RenderError as error:
            findings, _ = _judged(self.places, design)
            reasons = _reasons(error, findings) or [_failure(error, findings, self.places, design)]
            raise UnsupportedError(f"{design.name} cannot be rendered", reasons) from error


def _reasons(error: RenderError, findings: Sequence[Finding]) -> list[Finding]:
    """Return what rules say of a switch that cannot be rendered: those that the error names."""
    named = {one.rule for one in error.findings} if isinstance(error, InputError) else set()
    errors = (one for one in findings if one.severity >= Severity.ERROR)
    return [one for one in errors if not named or one.rule in named]


def _failure(
    error: RenderError, findings: Sequence[Finding], places: Places, design: DeviceDesign
) -> Finding:
    """Return the error as a finding, at the value that a rule rejects or at the model."""
    from fabric.platforms.same_hardware import rendered_instead

    model = places.hardware_place(design, "sku")
    field, position = next(
        ((one.field, one.position) for one in _reasons(error, findings)),
        (model.field, model.position),
    )
    same = " or ".join(rendered_instead(design.sku))
    fix = f"{_RENDERED}: {same} is the same switch" if same else _RENDERED
    return Finding(RENDERING, Severity.ERROR, str(error), fix, field, position)


def rendered_switch(design: DeviceDesign) -> list[Artefact]:
    """Return the files of a switch."""
    from fabric.render import render_device

    return render_device(design)


def rendered_host(design: Any) -> list[Artefact]:
    """Return the files of a host."""
    from fabric.systems.host.render import render_host

    return render_host(design)


@dataclass(frozen=True)
class Checked:
    """What the rules say of a switch, with its files.

    Parameters
    ----------
    findings : list of Finding
        Of rules about its design, before any waiver.
    broken : dict of str
        Why a rule about its design failed itself, by rule.
    files : list of Artefact
        Empty where it was not rendered, and where the files were put somewhere.
    outcome : Outcome or None
        What the rules say of its CONFIG_DB, where it has one.
    failure : Finding or None
        Why it could not be rendered.
    written : list of Written
        What the manifest has of its files.
    """

    findings: list[Finding]
    broken: dict[str, str]
    files: list[Artefact] = field(default_factory=list)
    outcome: Outcome | None = None
    failure: Finding | None = None
    written: list[Written] = field(default_factory=list)


@dataclass(frozen=True)
class Checking:
    """Checks a switch by its row.

    Parameters
    ----------
    design : callable
        From a row to the design.
    places : Places
        Where the inventory says so.
    renders : bool
        Whether a switch without errors is rendered too, and its CONFIG_DB judged.
    """

    design: Callable[[int], DeviceDesign]
    places: Places
    renders: bool

    def __call__(self, row: int) -> Checked:
        """Return what the rules say of a switch, with its files."""
        from fabric.render import render_device
        from fabric.systems.sonic.verdict import verdict
        from fabric.validate.waivers import Decisions

        design = self.design(row)
        findings, broken = _judged(self.places, design)
        kept, _ = Decisions.of(self.places.intent).apply(findings)
        if not self.renders or any(one.severity >= Severity.ERROR for one in kept):
            return Checked(findings, broken)
        try:
            files = render_device(design)
        except RenderError as error:
            failure = _failure(error, findings, self.places, design)
            return Checked(findings, broken, failure=failure)
        config = next((file.content for file in files if file.kind == "config_db"), None)
        outcome = None if config is None else verdict(design.name, config, design.sku)
        return Checked(findings, broken, files, outcome)


def _judged(places: Places, design: DeviceDesign) -> tuple[list[Finding], dict[str, str]]:
    """Return what the rules say of a design, and why some of them could not."""
    findings: list[Finding] = []
    broken = {}
    for rule in _switch_rules():
        try:
            findings += rule.check_switch(places, design)
        except Exception as error:  # noqa: BLE001 - any mistake in a rule must not hide the others
            broken[rule.id] = f"{type(error).__name__}: {error}"
    return findings, broken


@lru_cache(1)
def _switch_rules() -> list[SwitchRule]:
    from fabric.validate.rule import SwitchRule
    from fabric.validate.runner import all_rules

    return [rule for rule in all_rules() if isinstance(rule, SwitchRule)]


def unkept(checked: Checked) -> Checked:
    """Return what the rules say of a switch, without its files."""
    return replace(checked, files=[])
