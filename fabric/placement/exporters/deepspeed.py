"""DeepSpeed: hosts in rank order, and the environment that its launcher passes to all hosts.

Hostfile, ``VAR=VAL`` lines and DS_ENV_FILE, which names their file: deepspeedai/DeepSpeed
``docs/_tutorials/getting-started.md``. The launcher puts values in double quotes for a shell
(``deepspeed/launcher/multinode_runner.py``), which would read some characters as its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.exports import (
    PLACED_OPTIONS,
    SETTINGS_OPTIONS,
    Exported,
    Exporter,
    exporters,
    refused,
    text_file,
)
from fabric.placement.exporters.torchrun import MASTER_PORT
from fabric.placement.mpirun import hostfile_of

if TYPE_CHECKING:
    from fabric.placement.export import Order

_FILE = "deepspeed.env"
#: What a shell reads inside of double quotes (POSIX.1-2017 Shell Command Language, 2.2.3).
_OF_SHELL = frozenset('"$`\\')


def _environment(order: Order) -> Exported:
    settings, notes = order.common()
    for item in settings:
        if _OF_SHELL & set(item.value):
            message = f'{item.name} holds one of " $ ` \\, which DeepSpeed hands to a shell'
            raise refused("PLC015", message, "set that variable on the hosts, not for the job")
    text = "".join(f"{item.name}={item.value}\n" for item in settings)
    return Exported((text_file("deepspeed", "environment", _FILE, text),), tuple(notes))


def _command(order: Order) -> Exported:
    text = (
        "#!/bin/sh\n"
        "# Written by rocefab from the inventory; run it next to hostfile and environment.\n"
        f"export DS_ENV_FILE={_FILE}\n"
        f"exec deepspeed --hostfile hostfile --master_addr {order.placement.hosts[0]} "
        f'--master_port {MASTER_PORT} "$@"\n'
    )
    return Exported((text_file("deepspeed", "command", "deepspeed.sh", text, executable=True),))


exporters.add("deepspeed")(
    Exporter(
        {"hostfile": hostfile_of("deepspeed"), "environment": _environment, "command": _command},
        title="host file, environment and command for DeepSpeed",
        options={
            "hostfile": PLACED_OPTIONS,
            "environment": SETTINGS_OPTIONS,
            "command": PLACED_OPTIONS,
        },
    )
)
