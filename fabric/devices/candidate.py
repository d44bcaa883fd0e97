"""What a driver loads onto a device: a type for each method of changing one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file on the device that rocefab owns."""

    path: str
    content: bytes
    mode: int = 0o644


@dataclass(frozen=True, slots=True)
class Files:
    """Files that are put into force (hosts), also beside another change.

    Parameters
    ----------
    remove : tuple of str
        Files that are deleted.
    activate : tuple of str
        Commands that put the files into force, in order.
    restore : tuple of str
        Commands that put live settings back that no file holds, for the rollback.
    """

    method: ClassVar[str] = "files"
    files: tuple[RemoteFile, ...] = ()
    remove: tuple[str, ...] = ()
    activate: tuple[str, ...] = ()
    restore: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file that changes or is deleted."""
        return (*(file.path for file in self.files), *self.remove)


NO_FILES = Files()


@dataclass(frozen=True, slots=True)
class WholeConfiguration:
    """A configuration that replaces the one that runs (EOS)."""

    method: ClassVar[str] = "replace"
    text: str


@dataclass(frozen=True, slots=True)
class LinePatch:
    """Lines that change the configuration that runs (Junos, and systems of lines below lines).

    Parameters
    ----------
    lines : str
        Junos: lines of ``delete`` and ``set``; else lines indented as the configuration is.
    rollback : str
        The lines that lead back, where they travel along (Enterprise SONiC).
    """

    method: ClassVar[str] = "merge"
    lines: str
    rollback: str = ""


@dataclass(frozen=True, slots=True)
class SetLines:
    """Lines of ``nv unset``, and the lines of ``nv set`` that follow them (Cumulus Linux)."""

    method: ClassVar[str] = "patch"
    load: str = ""
    unload: str = ""


@dataclass(frozen=True, slots=True)
class SonicStep:
    """A part of a change of SONiC while it runs.

    Parameters
    ----------
    kind : str
        ``load``: rows that are merged into CONFIG_DB; ``patch``: an RFC 6902 patch; ``drop``: rows
        that are deleted, with their fields.
    text : str
        JSON of it.
    back : str
        Rows as they were before a load, as JSON; a row that was not there has no fields.
    """

    kind: str
    text: str
    back: str = ""


@dataclass(frozen=True, slots=True)
class SonicLive:
    """A change of CONFIG_DB in steps while SONiC runs.

    Parameters
    ----------
    steps : tuple of SonicStep
        What is done, in order.
    takes_s : int
        Seconds that the switch works on it before it can be verified.
    beside : Files
        Files that change along with it.
    """

    method: ClassVar[str] = "live"
    steps: tuple[SonicStep, ...]
    takes_s: int = 0
    beside: Files = NO_FILES


@dataclass(frozen=True, slots=True)
class SonicReload:
    """A new CONFIG_DB, for which SONiC restarts its services.

    Parameters
    ----------
    target : str
        The whole configuration, as JSON.
    ran_before : bool
        Whether it ran on the switch before; a check of the switch that refuses what it ran with
        itself is passed by then.
    beside : Files
        Files that change along with it.
    """

    method: ClassVar[str] = "reload"
    target: str
    ran_before: bool = False
    beside: Files = NO_FILES


#: How SONiC changes: beside CONFIG_DB, or without it, by files.
SonicCandidate: TypeAlias = SonicLive | SonicReload | Files
Candidate: TypeAlias = WholeConfiguration | LinePatch | SetLines | SonicCandidate


def files_of(candidate: Candidate) -> Files:
    """Return the files that change with a candidate."""
    if isinstance(candidate, SonicLive | SonicReload):
        return candidate.beside
    return candidate if isinstance(candidate, Files) else NO_FILES
