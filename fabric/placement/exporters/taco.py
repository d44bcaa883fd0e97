"""TACO Train (LightCC): reduction in two dimensions, whose inner group is a host.

Ranks must be in blocks, host by host, else an inner group crosses the network (Tencent Cloud
documentation, TACO Train, LIGHT_INTRA_SIZE).
"""

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
from fabric.placement.libraries import taco_settings
from fabric.placement.mpirun import hostfile_of, mpirun

if TYPE_CHECKING:
    from fabric.placement.export import Order


def _command(order: Order) -> Exported:
    settings, notes = order.common(taco_settings(order.gpus))
    text = mpirun(order, settings)
    file = text_file("taco", "command", "mpirun.sh", text, executable=True)
    return Exported((file,), tuple(notes))


exporters.add("taco")(
    Exporter(
        {"hostfile": hostfile_of("taco"), "command": _command},
        title="host file and command for TACO",
        options={"hostfile": PLACED_OPTIONS, "command": SETTINGS_OPTIONS},
    )
)
