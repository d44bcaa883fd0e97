"""EOS from the box: ZTP takes a startup-config (Arista EOS user manual, "Initial Switch Access").

Its lines are those of aristanetworks/avd 3cac535c (eos_cli_config_gen, management interfaces). eAPI
takes a password alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.boot.model import (
    BOOT_FILE,
    VENDOR_CLASS,
    Boot,
    boot_file,
    boots,
    option_with_url,
    serial_after,
)
from fabric.render.engine import render

if TYPE_CHECKING:
    from fabric.boot.model import Order
    from fabric.core.artefact import Artefact


def _files(order: Order) -> tuple[Artefact, ...]:
    device = order.device
    own = render("boot/eos.j2", device.name, {"device": device, "account": order.account})
    rendered = "".join(one.content.decode() for one in order.rendered)
    return (boot_file(device, f"{device.name}.cfg", f"{own}\n{rendered}"),)


boots.add("eos")(
    Boot(
        serial_after(VENDOR_CLASS, ";", "Arista"),
        ".cfg",
        _files,
        option_with_url(BOOT_FILE),
        hashes=("$6$",),
        needs_hash=True,
    )
)
