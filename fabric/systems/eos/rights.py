"""EOS roles: rules of permit and deny, each a regular expression; the first that matches decides.

Form: aristanetworks/avd, eos_cli_config_gen, ``roles`` (sequence, action, mode ``exec``,
``config`` or ``config-all``, command); an account gets one by ``username NAME role ROLE``.
Commands are anchored, so that it does not matter how EOS searches. Assumed, and not tried on a
switch: that no rule of ``config-all`` decides over commands of exec mode.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.devices.rights import Rights, roles
from fabric.systems.eos.drivers import READING

if TYPE_CHECKING:
    from collections.abc import Iterable

_PREVIEW = r"rocefab-preview-[0-9]+-[0-9a-f]+"
_RUN = r"rocefab-run-[0-9a-z-]+"
#: A preview loads a whole configuration, lines of others with it, and throws it away.
_PREVIEWS = (
    rf"configure session {_PREVIEW}( abort)?",
    rf"show session-config named {_PREVIEW} diffs",
)
#: napalm 5.2.0 napalm/eos/eos.py, commit_config, confirm_commit, discard_config.
_CHANGING = (
    rf"configure session {_RUN}( abort| commit( timer [0-9:]+)?)?",
    "copy startup-config flash:rollback-0",
    "write memory",
    "show ip route vrf Vrf[0-9]+ [0-9./]+",
)
_NEVER_IN_A_SESSION = (
    "commit.*",
    "copy.*",
    "write.*",
    "bash.*",
    "configure.*",
    "delete.*",
    "run.*",
)


@roles.add("eos")
def eos_role(account: str) -> Rights:
    """Return the two roles, each whole: an account has one."""
    reading = [*map(re.escape, ("enable", "end", *READING)), *_PREVIEWS]
    return Rights(
        _role("rocefab-reading", account, reading),
        _role("rocefab-changing", account, [*reading, *_CHANGING]),
    )


def _role(name: str, account: str, commands: Iterable[str]) -> str:
    rules = [f"permit mode exec command ^{_plain(command)}$" for command in commands]
    rules += ["deny mode exec command .*"]
    rules += [f"deny mode config-all command ^{command}$" for command in _NEVER_IN_A_SESSION]
    rules += ["permit mode config-all command .*"]
    lines = [f"   {10 * number} {rule}" for number, rule in enumerate(rules, 1)]
    return "\n".join([f"role {name}", *lines, f"username {account} role {name}", ""])


def _plain(command: str) -> str:
    """Return an expression without the backslashes that ``re.escape`` puts before blanks."""
    return command.replace(r"\ ", " ").replace(r"\-", "-")
