"""The lines that the EOS stand-in accepts: those of the book, and what it shows of them."""

from __future__ import annotations

from fabric.book.book import books
from fabric.qos.dscps import DSCPS

MODES, HIDDEN = books()["eos"].tables()
_DEFAULT_CLASS = (1, 0, 2, 3, 4, 5, 6, 7)
"""Traffic class of DSCP 8n to 8n+7; 0 and 1 are swapped on purpose."""
HIDDEN["config"] |= {
    f"qos map dscp {dscp} to traffic-class {_DEFAULT_CLASS[dscp // 8]}" for dscp in range(DSCPS)
}
SHOWN_DEFAULTS = ("no aaa root", "transceiver qsfp default-mode 4x10G", "spanning-tree mode mstp")
"""Lines that a switch without configuration shows."""
