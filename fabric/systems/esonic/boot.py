"""Enterprise SONiC from the box: the ZTP of SONiC, which Dell's documents point to.

What its client sends is not known, so the MAC must do.
"""

from __future__ import annotations

from dataclasses import replace

from fabric.boot.model import boots, no_serial
from fabric.systems.sonic.boot import BOOT

boots.add("esonic")(
    replace(
        BOOT,
        match=no_serial,
        warning="Dell's documents point to the ZTP of SONiC; whether the account may use sonic-cli "
        "is not known",
        takes_whole=False,
        takes_ca=False,
    )
)
