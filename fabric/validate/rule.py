"""Rules: one class each, registered by id."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from fabric.core.findings import Finding, Severity
from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.validate.world import ConfigDb, Model, Place, World


class Rule(ABC):
    """Base of all rules; the first line of the docstring is the title.

    Attributes
    ----------
    severity : Severity
        Of its findings, unless a finding says otherwise.
    why : str
        What happens in the network when the rule is broken.
    source : str
        Standard, vendor page or repository and path that the rule rests on.
    """

    severity: ClassVar[Severity] = Severity.ERROR
    why: ClassVar[str]
    source: ClassVar[str]

    def __init__(self, rule_id: str) -> None:
        self.id = rule_id

    @property
    def title(self) -> str:
        """First line of the docstring, without the full stop."""
        return (type(self).__doc__ or "").strip().splitlines()[0].rstrip(".")

    @abstractmethod
    def run(self, world: World) -> Iterator[Finding] | None:
        """Return findings, or None when the world lacks what the rule looks at."""

    def finding(  # noqa: PLR0913 - a finding has this many parts
        self,
        message: str,
        fix: str,
        *,
        place: Place | None = None,
        device: str = "",
        port: str = "",
        severity: Severity | None = None,
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
        )


class ModelRule(Rule):
    """A rule about the inventory and what follows from it."""

    def run(self, world: World) -> Iterator[Finding] | None:
        """Check the model, if there is one."""
        return self.check(world.model) if world.model else None

    @abstractmethod
    def check(self, model: Model) -> Iterator[Finding]:
        """Yield what is wrong with a model."""


class SonicRule(Rule):
    """A rule about one SONiC configuration, whoever wrote it."""

    def run(self, world: World) -> Iterator[Finding] | None:
        """Check each configuration, if there is any."""
        return self._all(world) if world.sonic else None

    def _all(self, world: World) -> Iterator[Finding]:
        for device, config in world.sonic.items():
            yield from self.check(device, config)

    @abstractmethod
    def check(self, device: str, config: ConfigDb) -> Iterator[Finding]:
        """Yield what is wrong with the configuration of one switch."""


rules: Registry[type[Rule]] = Registry("rule")
