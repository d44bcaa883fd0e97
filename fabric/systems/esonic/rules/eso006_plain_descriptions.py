"""ESO006: descriptions on Enterprise SONiC hold no quotation mark, bar or backslash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


_SIGNS = {'"': "a quotation mark", "|": "a bar", "\\": "a backslash"}


@rules.add("ESO006")
class PlainDescriptions(ModelRule):
    """Descriptions on Enterprise SONiC hold no quotation mark, bar or backslash."""

    why = (
        "Text of more than one word stands in quotation marks; one inside ends it. A backslash "
        "takes the meaning from what follows it, from the closing quotation mark too. A bar may "
        "begin a filter: no public source says that it does not."
    )
    source = (
        "ansible-collections/dellemc.enterprise_sonic @ 9851e680 sonic_interfaces (examples); "
        "klish, on which sonic-cli is built: lub_string_nextword"
    )
    guards = ("devices.ports.description",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the description of every port."""
        for device in model.devices.values():
            for port in device.ports if device.platform == "esonic" else ():
                held = [word for sign, word in _SIGNS.items() if sign in port.description]
                if held:
                    place = port_place(model.intent, device.name, port.name, "description")
                    yield self.finding(
                        f"the description {port.description!r} holds {' and '.join(held)}",
                        "leave it out",
                        place=place or model.place("host", "interfaces"),
                        device=device.name,
                        port=port.name,
                    )
