"""import: an inventory folder from what other programs know of a fabric."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.core.errors import InputError, OutputFolderError
from fabric.core.findings import Finding, Position, Severity
from fabric.exchange.differences import differences
from fabric.exchange.forms import Imported, Settings, importers, load_forms
from fabric.exchange.inventory import Recipe, generated, inventory
from fabric.exchange.models import models
from fabric.exchange.realised import plant
from fabric.exchange.roles import complete, with_hosts
from fabric.exchange.words import role_of
from fabric.intent.inventory import load
from fabric.intent.wording import printable
from fabric.intent.yamlfile import load_yaml
from fabric.platforms.catalogue import Skus
from fabric.topology import realise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.core.artefact import Artefact
    from fabric.exchange.plant import Plant

_SHOWN = 100
_BASE = Path(__file__).with_name("import_base.yaml")
_SECTIONS = {"leaf": "leaf", "spine": "spine", "super-spine": "super_spine"}
#: The password of NetBox, so to say: never an option.
TOKEN_VARIABLE = "ROCEFAB_NETBOX_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(frozen=True)
class Request:
    """What the user tells beside the source, as the command line takes it.

    Parameters
    ----------
    models : tuple of str
        ``WORD=NAME``: model of the catalogue for a role, or for a model as the source writes it.
    columns, roles : tuple of str
        ``NAME=HEADER``: column of a CSV file; ``WORD=ROLE``: role of a word of the source.
    base : Path or None
        Inventory folder or ``fabric.yaml`` whose other sections are taken over.
    connections : Path or None
        How the devices of a running fabric are reached.
    site : str
        Site of NetBox, by its slug; empty is all.
    """

    models: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    cabling: Path | None = None
    hosts: str = ""
    roles: tuple[str, ...] = ()
    rails: int | None = None
    gpus: int | None = None
    base: Path | None = None
    connections: Path | None = None
    site: str = ""


def import_inventory(
    form: str,
    source: str,
    output: Path,
    request: Request,
    progress: Callable[[str, str], None],
) -> tuple[list[str], tuple[Finding, ...]]:
    """Write a new inventory folder; return its files, and what the user should know.

    The folder is written whole or not at all, and only when it can be loaded and realised.

    Raises
    ------
    InputError
        With all that is wrong with the source, or with the inventory that would come of it.
    OutputFolderError
        When the output folder holds something, or cannot be written.
    """
    load_forms()
    if form not in importers:
        message = f"there is no import {form!r}; there are {', '.join(importers)}"
        raise InputError("unknown import", [Finding("EXC014", Severity.ERROR, message)])
    _refuse_used(output)
    shown = printable(source)
    found = _read(form, source, request, progress)
    if request.hosts:
        found = replace(found, plant=with_hosts(found.plant, request.hosts, shown))
    files, made, notes = _inventory(found, shown, output.absolute().name, request)
    realised = _place([*files, *found.files], output)
    notes = (*found.notes, *notes, *differences(made, realised, shown))
    return [file.path for file in (*files, *found.files)], notes


def _read(
    form: str, source: str, request: Request, progress: Callable[[str, str], None]
) -> Imported:
    importer = importers[form]
    settings = Settings(
        columns=_pairs(request.columns, "--columns"),
        cabling=request.cabling,
        roles=_pairs(request.roles, "--role"),
        rails=request.rails,
        gpus=request.gpus,
    )
    reader = _LIVE.get(form)
    live = reader(source, request, progress) if reader else None
    if live is None:
        return importer.read(Path(source), settings)
    assert importer.parse is not None
    return importer.parse(live, printable(source), settings)


def _netbox(source: str, request: Request, progress: Callable[[str, str], None]) -> Any:
    if not source.startswith(("http://", "https://")):
        return None
    from fabric.devices.netbox import read_netbox

    return read_netbox(source, os.environ.get(TOKEN_VARIABLE, ""), request.site, progress)


def _lldp(source: str, request: Request, progress: Callable[[str, str], None]) -> Any:
    if not Path(source).is_dir():
        return None
    from fabric.workflow.observe import Selection, observe
    from fabric.workflow.project import Project

    wanted = ("facts", "lldp", "interfaces")
    seen = observe(Project(source), request.connections, Selection(), wanted, progress)
    return [item.as_dict() for item in seen]


_LIVE = {"netbox": _netbox, "lldp": _lldp}


def _inventory(
    found: Imported, shown: str, name: str, request: Request
) -> tuple[tuple[Artefact, ...], Plant, tuple[Finding, ...]]:
    base = _base(request.base)
    told = _pairs(request.models, "--model")
    known = Skus(load(_folder(request.base)).skus) if request.base else Skus()
    for word, sku in told.items():
        role = _role(word)
        if role:
            section = base.setdefault("platforms", {}).setdefault(_SECTIONS[role], {})
            section["sku"] = sku
    notes: tuple[Finding, ...] = ()
    made = found.plant
    if not found.generated:
        made, notes = complete(made, shown)
    others = {word: sku for word, sku in told.items() if not _role(word)}
    skus = models(made, known, others, shown)
    _refuse_unknown_roles(made, skus, base, shown)
    recipe = Recipe(name, shown, base, skus, request.gpus)
    if found.generated:
        return generated(made, recipe, request.rails or 1), made, notes
    return inventory(made, recipe), made, notes


def _role(word: str) -> str:
    kind, role = role_of(word) or ("", "")
    return role if kind == "switch" else ""


def _refuse_unknown_roles(
    made: Plant, skus: Mapping[str, str], base: Mapping[str, Any], shown: str
) -> None:
    """Refuse switches of which neither source nor base tells the model."""
    lacking: Counter[str] = Counter()
    for device in made.switches:
        section = base.get("platforms", {}).get(_SECTIONS[device.role], {})
        if device.name not in skus and not section.get("sku"):
            lacking[device.role] += 1
    findings = [
        Finding(
            "EXC009",
            Severity.ERROR,
            f"the model of {count} switches of the role {role} is not known",
            f"name it with --model {role}=NAME; `rocefab show platforms` lists the names",
            position=Position(shown),
        )
        for role, count in lacking.items()
    ]
    if findings:
        raise InputError(f"{len(findings)} errors in {shown}", findings)


def _folder(base: Path) -> Path:
    return base if base.is_dir() else base.parent


def _base(path: Path | None) -> dict[str, Any]:
    file = path / "fabric.yaml" if path is not None and path.is_dir() else path
    document = load_yaml(file or _BASE, str(file or _BASE.name))
    return {str(key): value for key, value in document.data.items()}


def _pairs(words: tuple[str, ...], option: str) -> dict[str, str]:
    found = {}
    for word in (part for text in words for part in text.split(",")):
        key, equals, value = word.partition("=")
        if not (key.strip() and equals and value.strip()):
            message = f"{printable(word)[:60]!r} is not understood"
            finding = Finding("EXC014", Severity.ERROR, message, f"write {option} NAME=VALUE")
            raise InputError("bad usage", [finding])
        found[key.strip()] = value.strip()
    return found


def _refuse_used(output: Path) -> None:
    if output.is_symlink() or (output.exists() and (not output.is_dir() or any(output.iterdir()))):
        message = f"{output} is not an empty folder"
        finding = Finding("EXC011", Severity.ERROR, message, "name a new folder with --output")
        raise OutputFolderError("nothing was written", [finding])


def _quoting(finding: Finding, staging: Path, output: Path) -> Finding:
    """Return a finding with the line that it is about, since the file will not be there."""
    place = finding.position
    if place is None or not place.file.startswith(f"{output}/"):
        return finding
    file = staging / place.file.removeprefix(f"{output}/")
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    line = lines[place.line - 1].strip() if place.line <= len(lines) else ""
    message = f"{finding.message}, in the line {line[:_SHOWN]!r} of what would be written"
    return replace(finding, message=message)


def _place(files: list[Artefact], output: Path) -> Plant:
    """Write the files beside the folder, load them, and put them in its place."""
    parent = output.absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".new", dir=parent))
    except OSError as error:
        message = f"{output} cannot be written: {error}; choose another output folder"
        raise OutputFolderError(message) from error
    try:
        for file in files:
            target = staging / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.content)
        try:
            realised = plant(realise(load(staging, str(output))))
        except InputError as error:
            error.findings = tuple(_quoting(finding, staging, output) for finding in error.findings)
            error.add_note(f"what was read makes no inventory that holds; {output} was not written")
            raise
        staging.chmod(0o755)
        staging.replace(output)
    except OSError as error:
        message = f"{output} cannot be written: {error}; choose another output folder"
        raise OutputFolderError(message) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return realised
