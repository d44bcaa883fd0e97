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
    """Port overrides apply to ports with a cable."""

    severity = Severity.WARNING
    why = "An override of an unconnected port has no effect, and the intended port is not changed."
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
                            "this port has no cable, so the override has no effect",
                            "set the override on the intended port",
                            place=Place(field, override.position("ports", port)),
                            device=name,
                            port=port,
                        )
