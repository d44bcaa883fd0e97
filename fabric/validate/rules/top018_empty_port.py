"""TOP018: port overrides are about ports with a cable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.origins import Place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP018")
class EmptyPort(ModelRule):
    """Port overrides are about ports with a cable."""

    severity = Severity.WARNING
    why = (
        "An override of a port that nothing is cabled to does nothing; the one that was meant "
        "is unchanged."
    )
    source = "fabric/topology/overrides.py in this repository"
    guards = ("devices.ports.enabled", "devices.ports.peer")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look up the port of every override."""
        for name, overrides in model.intent.device_overrides.items():
            kinds = {port.name: port.kind for port in model.devices[name].ports}
            for override in overrides:
                for port, change in override.value.ports.items():
                    if kinds.get(port) == "unused" and change.state == "working":
                        field = f"{'.'.join(map(str, override.path))}.ports.{port}"
                        yield self.finding(
                            "nothing is cabled to this port, the override has no effect",
                            "name the port that was meant",
                            place=Place(field, override.position("ports", port)),
                            device=name,
                            port=port,
                        )
