"""models add: a switch model of an inventory from what a switch tells of itself."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import TypeAdapter, ValidationError

from fabric.core.counts import counted, noun
from fabric.core.errors import OutputFolderError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import closest, printable, quoted
from fabric.exchange.hardware.model import Source, hardware_readers, note, wrong
from fabric.exchange.hardware.own_file import own_file
from fabric.exchange.hardware.panel import panel
from fabric.intent.explain_errors import explain
from fabric.intent.own_skus import build_skus
from fabric.intent.sku_model import PlatformsFile, SkuName
from fabric.intent.yaml.file import input_error, load_yaml, read_text
from fabric.platforms.asic_catalogue import asic, asic_names, is_asic
from fabric.platforms.catalogue import sku, sku_names
from fabric.workflow.init import is_new

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.exchange.hardware.model import Hardware

MOST_FILES = 64
_KIND = "platforms"
_NAME: TypeAdapter[str] = TypeAdapter(SkuName)
_ENDINGS = frozenset({"", ".ini", ".json", ".log", ".out", ".profile", ".txt", ".xml"})
#: Files of a SONiC device folder: those of a HwSKU, and those of its platform above.
_OF_SKU = ("port_config.ini", "hwsku.json", "pg_profile_lookup.ini", "sai.profile")
_OF_PLATFORM = ("platform.json",)
_BUFFERS = ("config_db.json", "buffers.json")
_DEFAULT = "default_sku"


class Added(NamedTuple):
    """A model that was written: its name, its main file, and what the user should know."""

    name: str
    file: Path
    notes: tuple[Finding, ...]


def add(source: Path, folder: Path, name: str = "", family: str = "") -> Added:
    """Write a model into an inventory.

    Parameters
    ----------
    source : Path
        A file with outputs, or a folder with outputs or with the files of a SONiC image.
    name : str
        Name of the model; empty is the name that the source has.
    family : str
        ASIC family; empty is the one that the source tells.

    Raises
    ------
    InputError
        With all that is wrong; nothing is written then.
    OutputFolderError
        When the files are there already, or cannot be written.
    """
    shown = printable(str(source))
    hardware = _hardware(_sources(source), shown)
    front = panel(hardware, shown)
    name = name or hardware.name
    findings = [*_name_findings(name, shown), *_family_findings(family or hardware.asic, shown)]
    if findings:
        raise input_error(findings, shown)
    chip = asic(family or hardware.asic).name
    made = own_file(name, hardware, front, chip)
    _refuse_wrong(made.files, name, shown)
    target = _write(folder, made.files)
    notes = [*hardware.notes, *front.notes]
    if hardware.nos == "sonic" and name != hardware.name:
        message = f"the source is of the HwSKU {quoted(hardware.name)}, the model is {name}"
        notes.append(note(message, "configurations get the name of the model as HwSKU"))
    if made.assumed or made.gaps:
        message = (
            f"{counted(made.assumed, 'value is', 'values are')} assumed, {made.gaps} "
            f"{noun(made.gaps, 'is', 'are')} unknown"
        )
        notes.append(
            note(message, "each has a comment that says what to do", Position(str(target)))
        )
    return Added(name, target, tuple(notes))


def _hardware(sources: tuple[Source, ...], shown: str) -> Hardware:
    """Return what the sources tell of one switch."""
    read = {
        nos: hardware for nos, reader in hardware_readers.items() if (hardware := reader(sources))
    }
    if len(read) == 1:
        return next(iter(read.values()))
    if read:
        message = f"the sources are of several systems: {', '.join(read)}"
        raise input_error([wrong(message, "give those of one switch", Position(shown))], shown)
    message = "nothing here describes the ports of a switch"
    fix = (
        "give port_config.ini or platform.json (SONiC), `show interfaces hardware` (EOS), `show "
        "module` (NX-OS) or `show chassis hardware` (Junos)"
    )
    raise input_error([wrong(message, fix, Position(shown))], shown)


def _sources(path: Path) -> tuple[Source, ...]:
    files = list(_files(path))
    if not files:
        message = "no readable file" if path.exists() else "no such file or folder"
        raise input_error([wrong(message, "check the path", Position(str(path)))], str(path))
    if len(files) > MOST_FILES:
        message = counted(len(files), "file")
        fix = f"give a folder with at most {MOST_FILES}, of one switch"
        raise input_error([wrong(message, fix, Position(str(path)))], str(path))
    return tuple(
        Source(
            name,
            printable(str(file)),
            read_text(file, str(file), root=root, kind=FileKind.HARDWARE),
        )
        for name, file, root in files
    )


def _files(path: Path) -> Iterator[tuple[str, Path, Path]]:
    """Yield name, path and root of each file; links may lead to where the image has its files."""
    if not path.is_dir():
        if path.exists():
            yield path.name, path, path.absolute().parent
        return
    path = path.absolute()
    default = _default_sku(path)
    if default:
        yield from _device_files(path, default)
    elif any((path / file).exists() for file in _OF_SKU[:2]):
        yield from _device_files(path.parent, path.name)
    else:
        for file in sorted(path.iterdir())[: MOST_FILES + 1]:
            if file.is_file() and file.suffix in _ENDINGS:
                yield file.name, file, path


def _default_sku(platform: Path) -> str:
    """Return the HwSKU that a platform folder names; empty in any other folder."""
    file = platform / _DEFAULT
    if not file.is_file() or (platform / _OF_SKU[0]).exists():
        return ""
    shown = str(file)
    words = read_text(file, shown, root=platform, kind=FileKind.HARDWARE).split()
    name = words[0] if words else ""
    if _is_name(name) and (platform / name).is_dir():
        return name
    message = f"there is no folder of the HwSKU {quoted(name)}"
    raise input_error([wrong(message, "give the folder of a HwSKU", Position(shown))], shown)


def _device_files(platform: Path, name: str) -> Iterator[tuple[str, Path, Path]]:
    root = platform.parent.parent
    for folder, files in ((platform / name, (*_OF_SKU, *_BUFFERS)), (platform, _OF_PLATFORM)):
        for file in files:
            path = folder / file
            if path.exists() or path.is_symlink():
                yield f"{platform.name}/{path.relative_to(platform)}", path, root


def _is_name(name: str) -> bool:
    try:
        _NAME.validate_python(name)
    except ValidationError:
        return False
    return True


def _name_findings(name: str, shown: str) -> Iterator[Finding]:
    place = Position(shown)
    if not name:
        yield wrong("the source does not name the model", "set it with --name", place)
    elif not _is_name(name):
        message = f"{quoted(name)} cannot name a model"
        fix = "set --name: at most 63 letters, digits, ., _ and -, starting with a letter or digit"
        yield wrong(message, fix, place)
    elif name in sku_names() and not sku(name).lacks:
        message = f"{name} is a built-in model"
        yield Finding(
            "INT023", Severity.ERROR, message, f"use sku: {name}, or --name", position=place
        )


def _family_findings(family: str, shown: str) -> Iterator[Finding]:
    if is_asic(family):
        return
    known = ", ".join(asic_names())
    if not family:
        message, fix = "the ASIC family is unknown", f"set it with --asic; known: {known}"
    else:
        close = closest(family, list(asic_names()))
        message = f"unknown ASIC family {quoted(family)}"
        fix = f"did you mean {close}?" if close else f"known: {known}"
    yield wrong(message, fix, Position(shown))


def _refuse_wrong(files: dict[str, str], name: str, shown: str) -> None:
    """Refuse a model that an inventory would not load."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _place(folder / _KIND, files)
        document = load_yaml(folder / _KIND / f"{name}.yaml", f"{_KIND}/{name}.yaml")
        try:
            file = PlatformsFile.model_validate(document.data)
        except ValidationError as error:
            raise input_error(explain(error, document, PlatformsFile, ()), shown) from error
        built = build_skus([(document, file)], folder)
    errors = [one for one in built.findings if one.severity is Severity.ERROR]
    if errors:
        raise input_error(errors, shown)


def _write(folder: Path, files: dict[str, str]) -> Path:
    """Write the files; those of a table first, so that the model never lacks one."""
    if not (folder / "fabric.yaml").is_file() and not is_new(folder):
        message = f"{folder} has no fabric.yaml"
        fix = "specify an inventory with --out, or an empty folder for a new one"
        finding = Finding("INT020", Severity.ERROR, message, fix)
        raise OutputFolderError("nothing was written", [finding])
    target = folder / _KIND
    paths = [target / path for path in files]
    taken = [path for path in paths if path.exists() or path.is_symlink()]
    if taken:
        message = f"{taken[0]} exists"
        finding = Finding("INT020", Severity.ERROR, message, "remove it, or set --name")
        raise OutputFolderError("nothing was written", [finding])
    try:
        _place(target, files)
    except OSError as error:
        for path in paths:
            path.unlink(missing_ok=True)
        message = f"{target} cannot be written: {error.strerror or error}"
        raise OutputFolderError(message) from error
    return paths[0]


def _place(target: Path, files: dict[str, str]) -> None:
    for path, text in reversed(files.items()):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        write_whole(target / path, text.encode())
