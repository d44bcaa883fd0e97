"""The base of an import: what a new inventory has where the source does not tell it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from fabric.core.artefact import Artefact
from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Severity
from fabric.core.shown import field_text
from fabric.core.user_files import read_bytes
from fabric.core.validation import own_words
from fabric.intent.inventory import load
from fabric.intent.model import FabricFile
from fabric.intent.yaml.file import leads_inside, load_yaml
from fabric.platforms.catalogue import Skus
from fabric.topology import realise

if TYPE_CHECKING:
    from collections.abc import Collection

    from pydantic_core import ErrorDetails

    from fabric.exchange.plant import Plant

_BASE = Path(__file__).with_name("import_base.yaml")


def skus_of(base: Path | None) -> Skus:
    """Return the catalogue, and the models of the base."""
    return load(base).skus if base and base.is_dir() else Skus()


def models_of(base: Path | None, plant: Plant, told: Collection[str]) -> dict[str, str]:
    """Return the models of switches of the base whose model the source does not tell.

    Parameters
    ----------
    told : collection of str
        Switches whose model the request names.
    """
    unknown = {one.name for one in plant.switches if not one.model and one.name not in told}
    if not unknown or not base or not base.is_dir():
        return {}
    switches = realise(load(base)).switches
    of_base = zip(switches.names, switches.skus, strict=True)
    return {name: sku.name for name, sku in of_base if name in unknown}


def own_models(base: Path | None) -> tuple[Artefact, ...]:
    """Return the files of the switch models that the base describes itself."""
    folder = base / "platforms" if base is not None and base.is_dir() else None
    if folder is None or not folder.is_dir():
        return ()
    assert base is not None
    return tuple(
        Artefact(
            *("", "inventory", "platforms", str(path.relative_to(base))),
            read_bytes(path, FileKind.OTHER),
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file() and leads_inside(path, base)
    )


def base_sections(path: Path | None) -> dict[str, Any]:
    """Return the sections of a base; without one those of rocefab.

    Raises
    ------
    InputError
        With the places of its wrong values.
    """
    file = path / "fabric.yaml" if path is not None and path.is_dir() else path
    document = load_yaml(file or _BASE, str(file or _BASE.name))
    wrong = [
        Finding(
            "EXC017",
            Severity.ERROR,
            own_words(error["msg"]),
            "correct the base, or specify another one",
            field=field_text((key, *error["loc"])),
            position=document.position((key, *error["loc"])),
        )
        for key, value in document.data.items()
        for error in _wrong_section(str(key), value)
    ]
    if wrong:
        raise InputError("the base cannot be used", wrong)
    return {str(key): value for key, value in document.data.items()}


def _wrong_section(key: str, value: object) -> list[ErrorDetails]:
    """Return what is wrong with a section of a base; what it lacks may follow from the source."""
    field = FabricFile.model_fields.get(key)
    if field is None:
        return []
    try:
        TypeAdapter(field.rebuild_annotation()).validate_python(value)
    except ValidationError as error:
        return [one for one in error.errors() if one["type"] != "missing"]
    return []
