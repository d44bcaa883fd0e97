"""Parsers of command outputs, one module per platform."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from fabric.core.registry import Registry
from fabric.observe.unreadable import UnreadableError as UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.observe.snapshot import Running

    Reading = Callable[[str], Any]
    Titles = Mapping[str, str]


class Parser(Protocol):
    """What a platform knows about reading itself back.

    ``readings`` maps a subject of the driver to the field of the snapshot and its parser.
    """

    @property
    def readings(self) -> Mapping[str, tuple[str, Reading]]:
        """Readings of the operational state."""

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the running configuration from the raw texts of the driver."""


class RouteReading(Protocol):
    """Reads what ``read_route`` of a driver returned."""

    def __call__(self, text: str, vrf: str, prefix: str) -> bool:
        """Tell whether there is a route to this very prefix; one that covers it is another one.

        Raises
        ------
        UnreadableError
            When the text does not say so, as where there is no such VRF.
        """


parsers: Registry[Parser] = Registry("parser", plugins="parsers")
#: Readings by gNMI of a system that does not have the models of OpenConfig, by the subjects of
#: ``fabric.devices.gnmi``.
gnmi_readings: Registry[Mapping[str, tuple[str, Reading]]] = Registry(
    "readings by gNMI", plugins="parsers"
)
#: By system: whether a VRF has a route. Of a system without one nothing is asked.
route_readings: Registry[RouteReading] = Registry("reading of a route", plugins="parsers")

#: First lines of outputs as people keep them in files, one after the other, and the subject of each
#: (a key of ``Parser.readings``).
titles: Registry[Titles] = Registry("titles of saved outputs", plugins="parsers")
#: Prompt of a shell, ``admin@leaf1:~$``: an output ends before it.
_PROMPT = re.compile(r"\S+@\S+[$#] ?")


def titled(platform: str, text: str) -> dict[str, str]:
    """Return the outputs of a file by their subject; of one that is there twice, the last.

    Parameters
    ----------
    platform : str
        System of the device that printed them.
    text : str
        The file: prompts and outputs of other commands may stand between.
    """
    known = dict(titles.items()).get(platform, {})
    outputs: dict[str, list[str]] = {}
    subject = ""
    for line in text.splitlines(keepends=True):
        if line.strip() in known:
            subject = known[line.strip()]
            outputs[subject] = []
        elif not line.strip() or _PROMPT.match(line):
            subject = ""
        if subject:
            outputs[subject].append(line)
    return {name: "".join(lines) for name, lines in outputs.items()}
