"""NX-OS roles: rules of commands, of which the one with the highest number decides.

Form, order, and the length of a name (16 characters): Cisco Nexus 9000 Series NX-OS Security
Configuration Guide, Release 9.x, "Configuring User Accounts and RBAC": ``rule NUMBER {deny |
permit} command STRING``, ``rule 1 deny read-write``. A change writes lines of the whole
configuration and of the scheduler; no source says which rules are enough for that, so an account
that changes has the role ``network-admin``, which the same guide says may do everything.
"""

from __future__ import annotations

from fabric.devices.rights import Rights, roles
from fabric.systems.nxos.drivers import READING


@roles.add("nxos")
def nxos_role(account: str) -> Rights:
    """Return the role that reads, and who changes."""
    rules = ["deny read-write", *(f"permit command {command}" for command in READING)]
    lines = [f"  rule {number} {rule}" for number, rule in enumerate(rules, 1)]
    role = "rocefab-reading"
    reading = [f"role name {role}", *lines, f"username {account} role {role}", ""]
    changing = [
        "! The predefined role: no source says which rules a change needs.",
        f"username {account} role network-admin",
        "",
    ]
    return Rights("\n".join(reading), "\n".join(changing))
