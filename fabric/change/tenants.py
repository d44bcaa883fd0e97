"""Whose VRFs and tunnels are: ours in a fabric that has tenants, or had them.

The VRF of a tenant is ``Vrf`` and a number, which others may use too. So in a fabric without
tenants such VRFs and all tunnels stay as they run. A port of ours in such a VRF says that the
fabric had tenants before, but not where others own a part of the configuration: there the mark of
the files alone counts (`fabric.render.scope.tenants_mark`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.lines import LineTree

if TYPE_CHECKING:
    import re


@dataclass(frozen=True, kw_only=True)
class TenantLines:
    """Lines that are ours because of tenants alone.

    Parameters
    ----------
    sections : re.Pattern
        First lines of sections.
    signs : re.Pattern
        What says that the fabric had tenants: a line with the first one of its section before it.
    """

    sections: re.Pattern[str]
    signs: re.Pattern[str]

    def with_others(self, now: LineTree, wanted: LineTree) -> LineTree:
        """Return what is rendered without tenants, with the VRFs and tunnels that stay.

        Parameters
        ----------
        now, wanted : LineTree
            What runs, and what is rendered.
        """
        if self._had_tenants(now, wanted):
            return wanted
        theirs = {
            line: child for line, child in now.children.items() if self.sections.fullmatch(line)
        }
        return LineTree({**theirs, **wanted.children})

    def _had_tenants(self, now: LineTree, wanted: LineTree) -> bool:
        return any(map(self.signs.fullmatch, now.children)) or any(
            self.signs.fullmatch(f"{section} {line}")
            for section in wanted.children.keys() & now.children.keys()
            for line in now.children[section].children
        )
