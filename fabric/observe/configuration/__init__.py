"""What a configuration file says of ports, VLANs and BGP, in one form for every system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from fabric.core.registry import Registry
from fabric.core.renamed import renamed
from fabric.observe.configuration.model import (
    AddressLine,
    Aggregate,
    Bgp,
    BgpPeer,
    BgpTemplate,
    Configured,
    ConfiguredPort,
    Leftover,
    Origination,
    PolicyTerm,
    PrefixMatch,
)
from fabric.observe.configuration.static_routes import Discard, StaticRoute
from fabric.observe.unreadable import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "WHOLE",
    "AddressLine",
    "Aggregate",
    "Bgp",
    "BgpPeer",
    "BgpTemplate",
    "Configured",
    "ConfiguredPort",
    "Discard",
    "Leftover",
    "Origination",
    "PolicyTerm",
    "PrefixMatch",
    "Reader",
    "StaticRoute",
    "configured",
    "readers",
]


#: Kinds of files that hold a whole configuration.
WHOLE = ("config_db", "startup-config", "running-config", "running-configuration", "nv-set", "set")


class Reader(Protocol):
    """Reads the configuration of one switch."""

    def __call__(self, files: Mapping[str, str]) -> Configured:
        """Return what the files of a switch say.

        Parameters
        ----------
        files : mapping of str to str
            Text by kind of file, as the renderer of the system names its artefacts.

        Raises
        ------
        UnreadableError
            When a file is not a configuration of this system.
        """


#: By system: what its configuration says. A system without one is not proved by our engine.
readers: Registry[Reader] = Registry("configuration reader", plugins="reading")


def configured(system: str, text: str) -> Configured | None:
    """Return what a whole configuration says; None where no reader takes it."""
    if system not in readers:
        return None
    try:
        return readers[system](dict.fromkeys(WHOLE, text))
    except (UnreadableError, KeyError):
        return None


if not TYPE_CHECKING:  # a type checker would take any name

    def __getattr__(name: str) -> type[object]:
        """Return a class by the name that it had before."""
        return renamed(__name__, name, {"Port": ConfiguredPort})
