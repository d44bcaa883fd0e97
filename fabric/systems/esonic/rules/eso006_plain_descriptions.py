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
    """Descriptions on Enterprise SONiC contain no quotation mark, bar or backslash."""

    why = (
        "Text of more than one word is quoted; a quotation mark inside ends it. A "
        "backslash escapes the next character, including the closing quotation mark. A bar may "
        "start an output filter; no public source rules this out."
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
                        f"the description {port.description!r} contains {' and '.join(held)}",
                        "remove it",
                        place=place or model.place("host", "interfaces"),
                        device=device.name,
                        port=port.name,
                    )
