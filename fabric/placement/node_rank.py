"""A script for every host of a job, which finds the host's place in the rank order by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.placement.export import Order


def node_script(order: Order, body: str) -> str:
    """Return a shell script that sets ``node_rank``, then runs ``body``."""
    hosts = enumerate(order.placement.hosts)
    cases = "".join(f"  {host}) node_rank={rank} ;;\n" for rank, host in hosts)
    return (
        "#!/bin/sh\n# Written by rocefab from the inventory; run it on every host of the job.\n"
        f'name=$(hostname -s)\ncase "$name" in\n{cases}'
        '  *) echo "$name is not a host of this job" >&2; exit 2 ;;\nesac\n' + body
    )
