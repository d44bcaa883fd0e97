"""explain: lines about one port, which are not those of ports whose names begin with its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.design.designs import Designs
    from fabric.render.explain import ExplainedLine


def is_port_name(designs: Designs, device: str, text: str) -> bool:
    """Return whether a text is a port of a switch, or differs from one in its numbers alone.

    So does ``Ethernet1`` where ports are called ``Ethernet1/1``.
    """
    design = designs.devices.get(device)
    if design is None or not text[-1:].isdecimal():
        return False
    forms = {_form(one) for one in design.sku.port_numbers()}
    return bool({_form(text), f"{_form(text)}/0"} & forms)


def lines_of_port(lines: Iterable[ExplainedLine], port: str) -> list[ExplainedLine]:
    """Return the lines that name a port: ``Ethernet1`` is in no ``Ethernet16`` or ``Ethernet1/1``.

    What follows a colon of Junos is another part of the port.
    """
    whole = re.compile(rf"(?<![\w/-]){re.escape(port)}(?![\w/:])")
    return [
        (line, known)
        for line, known in lines
        if whole.search(line.text) or whole.search(line.context)
    ]


def _form(name: str) -> str:
    return re.sub(r"\d+", "0", name)
