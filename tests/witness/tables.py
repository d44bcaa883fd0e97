"""What is no fault, by name and reason, and faults that are known and not mended yet.

A row counts for the systems, kinds and texts that its patterns match. Each row must be met by some
setting: one that is met by none is out of date, and the test says so.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.witness.faults import Fault


class Row(NamedTuple):
    """A kind of fault that is expected.

    Parameters
    ----------
    systems, kind, text, settings : str
        Regular expressions that match the whole of each.
    rule : str
        Rule, or document of ours, that says so to a user.
    reason : str
        The fact behind it.
    """

    systems: str
    kind: str
    text: str
    settings: str
    rule: str
    reason: str

    def covers(self, system: str, setting: str, fault: Fault) -> bool:
        """Tell whether a fault is this one."""
        pairs = (
            (self.systems, system),
            (self.kind, fault.kind),
            (self.text, fault.text),
            (self.settings, setting),
        )
        return all(re.fullmatch(pattern, said) for pattern, said in pairs)


#: What the product says of itself: no fault.
STATEMENTS: tuple[Row, ...] = ()
#: Faults that are known; each is to be mended and its row removed.
KNOWN_FAULTS: tuple[Row, ...] = ()
