"""TOP023: no cable ends on a port that is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP023")
class BrokenPort(ModelRule):
    """No cable ends on a port that is broken."""

    why = "A cable in a broken port carries no traffic; all other ports keep their positions."
    source = "fabric/intent/model.py in this repository (PortOverride.state)"
    guards = ("devices.ports.state",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look up the port of every override."""
        for name in model.intent.device_overrides:
            for port in model.devices[name].ports:
                if port.kind == "unused" or not port.enabled or not _broken(model, name, port.name):
                    continue
                how = "hosts/*.yaml (nics: rail, port)" if port.kind == "host" else "cabling.csv"
                yield self.finding(
                    f"the cable to {port.peer} {port.peer_port} ends on a broken port",
                    f"set its new port in {how}, or disable it with enabled: false",
                    place=port_place(model.intent, name, port.name, "state"),
                    device=name,
                    port=port.name,
                )


def _broken(model: Model, name: str, port: str) -> bool:
    """Tell whether the last word on a port is that it is broken."""
    told = [
        override.value.ports[port].state
        for override in model.intent.device_overrides[name]
        if port in override.value.ports and "state" in override.value.ports[port].model_fields_set
    ]
    return told[-1:] == ["broken"]
