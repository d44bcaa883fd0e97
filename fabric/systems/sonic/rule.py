"""Bases of the rules about SONiC configurations."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from fabric.platforms.catalogue import Skus
from fabric.systems.sonic.config_db import SonicConfig
from fabric.validate.rule import FileRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.core.findings import Finding
    from fabric.platforms.model import Sku
    from fabric.validate.world import Configuration, World


class SonicRule(FileRule):
    """A rule about one SONiC configuration, whoever wrote it."""

    file_type: ClassVar[type[Configuration]] = SonicConfig
    looks_at: ClassVar[str] = "CONFIG_DB"

    @abstractmethod
    def check(self, config: SonicConfig, /) -> Iterator[Finding]:
        """Yield what is wrong with the configuration of one switch."""

    def placed(self, finding: Finding, config: Configuration) -> Finding:
        """Give a finding about a file its line: that of its port where it names no other."""
        path = ("PORT_QOS_MAP", finding.port) if finding.port else ()
        place = None if finding.position else config.place(*path)
        if place is None and finding.position is None:
            return finding
        position = finding.position or (place.position if place else None)
        return replace(finding, position=position, device="")


class SonicPolicyRule(SonicRule):
    """A rule about queues, buffers and ports, which needs no name and no address of the switch.

    Of configurations that were rendered it sees `fabric.systems.sonic.verdict.nameless`, and is
    asked once for all that are equal in that.
    """


class SonicModelRule(SonicPolicyRule):
    """A rule about a SONiC configuration and the model of its switch."""

    skus: Mapping[str, Sku] = Skus()

    def subjects(self, world: World) -> Sequence[tuple[Configuration]] | None:
        """Return each configuration, and see the inventory's own models where there are any."""
        self.skus = world.skus
        return super().subjects(world)

    def model(self, config: SonicConfig) -> Sku | None:
        """Return the model of a switch, where it is known."""
        return self.skus.get(str(config.metadata.get("hwsku", "")))
