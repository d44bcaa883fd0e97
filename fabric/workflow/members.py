"""The fabrics that are loaded together, realised when they are asked for."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from fabric.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.intent.inventory import Intent
    from fabric.topology.model import Fabric
    from fabric.topology.site import Site


class Members:
    """The fabrics of a site, or one that stands alone.

    Parameters
    ----------
    intents : mapping
        Intents by the name of their folder, in the order of the names.
    """

    def __init__(self, intents: Mapping[str, Intent]) -> None:
        self.intents = intents
        self._fabrics: dict[str, Fabric] = {}

    def fabric(self, name: str) -> Fabric:
        """Return a fabric, realised once.

        Raises
        ------
        InputError
            When it cannot be realised; unknown switches that another fabric has are named as such.
        """
        from fabric.topology import realise
        from fabric.topology.site import name_strangers

        if name not in self._fabrics:
            try:
                self._fabrics[name] = realise(self.intents[name])
            except InputError as error:
                raise name_strangers(error, self.intents[name], self._others(name)) from error
        return self._fabrics[name]

    def site(self, own: str) -> Site | None:
        """Return the site as one of its fabrics sees it; None where that stands alone."""
        from fabric.topology.site import Site

        if len(self.intents) == 1:
            return None
        return Site(own, {name: self.fabric(name) for name in self.intents})

    def neighbours_elsewhere(self, own: str) -> Mapping[str, int]:
        """Return how many neighbours hosts may have in the other fabrics, by host."""
        from fabric.topology.site import neighbours_elsewhere

        others = {name: one for name, one in self.intents.items() if name != own}
        return neighbours_elsewhere(others)

    def _others(self, own: str) -> dict[str, Fabric]:
        """Return the other fabrics that can be realised."""
        from fabric.topology import realise

        found: dict[str, Fabric] = {}
        for name, intent in self.intents.items():
            with suppress(InputError):  # its own errors are those of its own project
                if name != own:
                    found[name] = realise(intent)
        return found
