"""The command line of ``mpirun`` and its hostfile, in rank order (Open MPI, mpirun(1))."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from fabric.core.exports import Exported, text_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.core.exports import Part
    from fabric.placement.export import Order
    from fabric.placement.job_host import Setting


def hostfile_of(form: str) -> Part:
    """Return the hostfile of an exporter: ranks are in blocks, as hosts are filled one by one."""

    def part(order: Order) -> Exported:
        text = "".join(f"{host} slots={order.gpus}\n" for host in order.placement.hosts)
        return Exported((text_file(form, "hostfile", "hostfile", text),))

    return part


def mpirun_words(
    order: Order, exports: Sequence[str], bootstrap: str, hosts: str = ""
) -> list[list[str]]:
    """Return the command in lines of words.

    MPI itself stays on the management network: NCCL carries the data.

    Parameters
    ----------
    exports : sequence of str
        Variables for the ranks: ``NAME=value``, or ``NAME`` to pass one on.
    bootstrap : str
        Interface of the management network; empty where hosts and launcher call it otherwise.
    hosts : str
        Path of a hostfile; empty where the launcher knows its hosts.
    """
    count = str(len(order.placement.ranks))
    lines = [["mpirun", "-np", count, "--map-by", "slot", "--bind-to", "none"]]
    if hosts:
        lines.append(["--hostfile", hosts])
    lines.append(["-mca", "pml", "ob1", "-mca", "btl", "^openib"])
    if bootstrap:
        tcp = ["-mca", "btl_tcp_if_include", bootstrap, "-mca", "oob_tcp_if_include", bootstrap]
        lines.append(tcp)
    return lines + [["-x", text] for text in exports]


def mpirun(order: Order, settings: Sequence[Setting]) -> str:
    """Return a script that starts the ranks; what to run are its arguments."""
    exports = [f"{item.name}={item.value}" for item in settings]
    lines = mpirun_words(order, exports, order.bootstrap, "hostfile")
    body = " \\\n  ".join(shlex.join(line) for line in lines)
    return (
        "#!/bin/sh\n# Written by rocefab from the inventory; run it next to the hostfile.\n"
        f'exec {body} \\\n  "$@"\n'
    )
