"""What a started program sees of our environment: names that are allowed, and no others.

Passwords, tokens and the socket of an agent have names that we do not know, so what is left out
is not listed: what is passed on is.
"""

from __future__ import annotations

import os

#: Where programs and files are, who runs them, and language and time zone (environ(7), locale(7)).
_COMMON = ("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "LANG", "LANGUAGE", "TZ")
_LOCALE = "LC_"
#: Where kubectl and the commands of Slurm find their cluster: docs/changes.md lists jobs by both.
_COMMANDS = ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "SLURM_CONF")
#: Names more variables for commands of the user; the user sets it, and no inventory can.
VARIABLE = "ROCEFAB_COMMAND_VARIABLES"
#: Our own variables, which no command of an inventory gets, whoever names them.
_OWN = "ROCEFAB_"


def environment(*names: str) -> dict[str, str]:
    """Return the variables that any program may see, and more of them by their names.

    Folders of ``PATH`` that are relative are left out: they could lead into an inventory.
    """
    allowed = {
        name: text
        for name, text in os.environ.items()
        if name in _COMMON or name in names or name.startswith(_LOCALE)
    }
    folders = allowed.get("PATH", os.defpath).split(os.pathsep)
    return allowed | {"PATH": os.pathsep.join(filter(os.path.isabs, folders))}


def operator_environment() -> dict[str, str]:
    """Return what a command that the operator set sees: all variables but ours."""
    return {name: text for name, text in os.environ.items() if not name.startswith(_OWN)}


def command_environment() -> dict[str, str]:
    """Return what commands of the user see: the user may name more variables, but none of ours."""
    named = os.environ.get(VARIABLE, "").replace(",", " ").split()
    return environment(*_COMMANDS, *(name for name in named if not name.startswith(_OWN)))
