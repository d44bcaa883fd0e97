"""Saved configurations and outputs of hosts, as people keep them in folders."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.audit.host_class import HOST
from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.steps import steps
from fabric.core.user_files import read_text
from fabric.devices.redaction import shortened
from fabric.observe.configuration.lossless import lossless_readers
from fabric.observe.configuration.pager import refuse_pager
from fabric.observe.configuration.recognition import foreign_of, system_of
from fabric.observe.nicprofiles import form_of
from fabric.observe.parsers import UnreadableError
from fabric.observe.saved.model import kind_of
from fabric.observe.saved.reading import saved_hosts
from fabric.platforms import platforms
from fabric.render.scope import MARK_FILES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from fabric.observe.configuration.lossless import Lossless
    from fabric.observe.saved.model import SavedHost

#: Ends of files that a folder is searched for.
SUFFIXES = {
    ".cfg",
    ".conf",
    ".eos",
    ".nxos",
    ".set",
    ".nv",
    ".vrp8",
    ".comware7",
    ".esonic",
    ".json",
    ".sh",
    ".txt",
    ".yaml",
    ".yml",
}


#: Characters of all files together, which are compared with each other; a limit that we chose:
#: 1,000 switches with 512 ports.
MOST_CHARACTERS = 2 << 30
_FEWER = "name fewer files at a time"


@dataclass(frozen=True)
class Saved:
    """What files say.

    Parameters
    ----------
    systems : mapping of Path to str
        System of each file that is known; ``host`` for outputs of hosts.
    switches : mapping of Path to Lossless
        What each configuration says of the lossless class.
    unknown : tuple of Path
        Files that no system recognises.
    profiles : mapping of Path to str
        Texts of NIC profiles, where they were asked for.
    """

    texts: Mapping[Path, str]
    systems: Mapping[Path, str]
    switches: Mapping[Path, Lossless]
    hosts: Sequence[SavedHost]
    unknown: tuple[Path, ...]
    profiles: Mapping[Path, str] = field(default_factory=dict)


def read_saved(paths: Sequence[Path], system: str = "", *, profiles: bool = False) -> Saved:
    """Read configuration files and outputs of hosts.

    Parameters
    ----------
    paths : sequence of Path
        Files, or folders that hold some.
    system : str
        Switch system of all of them; empty: each is recognised by its lines.
    profiles : bool
        Whether there may be NIC profiles among them.

    Raises
    ------
    InputError
        When a path is missing, a file cannot be read, or no system knows it.
    """
    files = [file for path in paths for file in files_of(path)]
    texts = dict(_texts(files))
    if not texts:
        raise _refused("there is no configuration file", str(paths[0]))
    systems = {file: system or _system(texts[file], file) for file in steps("files", [*texts])}
    apart = {
        file: texts[file]
        for file, name in systems.items()
        if profiles and name in ("", system) and _is_profile(texts[file], file)
    }
    systems = {file: name for file, name in systems.items() if file not in apart}
    unknown = tuple(file for file, name in systems.items() if not name)
    for file in unknown:
        if file in paths or len(unknown) == len(texts):
            raise _refused(unknown_words(texts[file]), str(file))
    known = {file: name for file, name in systems.items() if name}
    switches = {
        file: _read(file, name, texts[file]) for file, name in known.items() if name != HOST
    }
    hosts = saved_hosts({file: texts[file] for file, name in known.items() if name == HOST})
    return Saved(texts, known, switches, hosts, unknown, apart)


def _is_profile(text: str, file: Path) -> bool:
    """Tell whether a text is a NIC profile, and no output that is read as one of a host."""
    return not kind_of(text, file) and bool(form_of(text))


def unknown_words(text: str) -> str:
    """Return why a text is of no system that is read."""
    foreign = foreign_of(text)
    return (
        f"this configuration is of {foreign}, which is not read"
        if foreign
        else "no system recognises this configuration"
    )


def _system(text: str, file: Path) -> str:
    """Return the system that a text is of, ``host`` for an output of a host, empty if unclear."""
    return system_of(text) or (HOST if kind_of(text, file) else "")


def files_of(path: Path) -> list[Path]:
    """Return the file, or what may be a configuration or an output of a host in a folder."""
    if path.is_dir():
        files = (file for file in path.rglob("*") if file.suffix in SUFFIXES)
        return sorted(file for file in files if not _is_beside(file))
    return [path]


def _is_beside(file: Path) -> bool:
    """Tell whether `render` writes a file beside the configuration that stands there."""
    return any(
        file.name in (*platform.beside, *MARK_FILES) and file.with_name(platform.artefact).is_file()
        for platform in (platforms[name] for name in platforms)
    )


def _texts(files: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the text of each file.

    Raises
    ------
    InputError
        When one cannot be read, or they are too many to be held at a time.
    """
    characters = 0
    for file in files:
        text = read_text(file, FileKind.CONFIGURATION)
        characters += len(text)
        if characters > MOST_CHARACTERS:
            size = f"{MOST_CHARACTERS >> 20:,} MiB"
            raise _refused(f"larger than {size} with the files before", str(file), _FEWER)
        yield file, text


def _read(file: Path, system: str, text: str) -> Lossless:
    if system not in lossless_readers:
        raise _refused(f"system {system!r} is not audited", str(file))
    try:
        refuse_pager(text)
        return lossless_readers[system].read(text)
    except (UnreadableError, KeyError, ValueError, RecursionError) as error:
        raise _refused(
            f"the configuration cannot be read: {shortened(str(error))}", str(file)
        ) from None


def _refused(message: str, file: str, fix: str = "") -> InputError:
    fix = fix or f"name the system with --system: {', '.join((*lossless_readers, HOST))}"
    finding = Finding("AUD019", Severity.ERROR, message, fix, "", Position(file))
    return InputError("nothing was read", [finding])
