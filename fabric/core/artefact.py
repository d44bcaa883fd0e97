"""Artefacts: the files that come out of the inventory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property


def is_plain_path(path: object) -> bool:
    """Tell whether something is a path below a folder, in printable characters."""
    return (
        isinstance(path, str)
        and path.isprintable()
        and "\\" not in path
        and not path.startswith("/")
        and "/../" not in f"/{path}/"
        and bool(path.strip("./"))
    )


@dataclass(frozen=True)
class Artefact:
    """One rendered file.

    Parameters
    ----------
    device : str
        Name of the switch or host.
    platform : str
        Network operating system or host profile kind, such as ``sonic``, ``eos``, ``host``.
    kind : str
        What the file is, such as ``config_db``, ``startup-config``, ``apply-script``.
    path : str
        Path below the output folder, with forward slashes; never absolute, never ``..``.
    content : bytes
        The bytes of the file.
    executable : bool
        Whether the file gets mode 0755 in place of 0644.
    """

    device: str
    platform: str
    kind: str
    path: str
    content: bytes
    executable: bool = False

    def __post_init__(self) -> None:
        if not is_plain_path(self.path):
            raise ValueError(f"artefact path {self.path!r} is not a plain relative path")

    @cached_property
    def sha256(self) -> str:
        """Hex digest of the content."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def text(self) -> str:
        """Content as text."""
        return self.content.decode()
