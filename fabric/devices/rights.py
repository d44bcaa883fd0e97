"""What an account must be allowed on a device: to read it, and to change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Rights:
    """Two texts that a device takes.

    Parameters
    ----------
    reading : str
        For plan, verify, drift and status.
    changing : str
        What apply, rollback and confirm need besides.
    suffix : str
        How the names of their files end.
    """

    reading: str
    changing: str
    suffix: str = "cfg"


#: Roles by system, made for an account; systems with a shell take sudoers instead.
roles: Registry[Callable[[str], Rights]] = Registry("role", plugins="rights")
