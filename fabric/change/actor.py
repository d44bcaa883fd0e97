"""Who makes a run, and why: what each row of the journal says of it."""

from __future__ import annotations

import os
import pwd
import socket
from dataclasses import dataclass, field

from fabric.core.errors import InputError

#: Longest reason or ticket in characters; they stand in each row of a run.
LONGEST = 200


def user() -> str:
    """Return the name of the account that runs this, or its number where it has none.

    The environment is not asked: everyone can set `LOGNAME`.
    """
    number = os.getuid()
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:  # an account without a name, as in some containers
        return f"uid {number}"


@dataclass(frozen=True)
class Actor:
    """Who works, on which machine, in which process, for what reason.

    Raises
    ------
    InputError
        When reason or ticket are too long, or hold characters that cannot be printed.
    """

    user: str = field(default_factory=user)
    host: str = field(default_factory=socket.gethostname)
    process: int = field(default_factory=os.getpid)
    reason: str = ""
    ticket: str = ""

    def __post_init__(self) -> None:
        for name in ("reason", "ticket"):
            text = getattr(self, name)
            if len(text) > LONGEST or not text.isprintable():
                raise InputError(
                    f"--{name} must be one printable line of up to {LONGEST} characters"
                )
