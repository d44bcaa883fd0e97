"""Horovod: hosts in rank order, and its reduction in two levels (Horovod documentation)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.exports import (
    PLACED_OPTIONS,
    SETTINGS_OPTIONS,
    Exported,
    Exporter,
    exporters,
    text_file,
)
from fabric.core.shell_words import shell_quoted
from fabric.placement.libraries import horovod_settings
from fabric.placement.mpirun import hostfile_of

if TYPE_CHECKING:
    from fabric.placement.export import Order


def _command(order: Order) -> Exported:
    settings, notes = order.common(horovod_settings(order.gpus))
    lines = [f"export {item.name}={shell_quoted(item.value)}" for item in settings]
    ranks = len(order.placement.ranks)
    run = f"exec horovodrun -np {ranks} --hostfile hostfile"
    text = "\n".join([
        "#!/bin/sh",
        "# Written by rocefab from the inventory; run it next to the hostfile.",
        *lines,
        f'{run} --network-interfaces {order.bootstrap} "$@"',
    ])
    file = text_file("horovod", "command", "horovodrun.sh", text + "\n", executable=True)
    return Exported((file,), tuple(notes))


exporters.add("horovod")(
    Exporter(
        {"hostfile": hostfile_of("horovod"), "command": _command},
        title="host file and command for Horovod",
        options={"hostfile": PLACED_OPTIONS, "command": SETTINGS_OPTIONS},
    )
)
