"""init: a commented inventory to start from."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.report.inventory import schema

_STARTING_POINT = "start.yaml"
#: Folder of an inventory that has its own switch models.
MODELS = "platforms"
_SCHEMAS = ("fabric", "devices", "hosts")


def init(folder: Path, text: str | None = None, overrides: str = "") -> Path:
    """Write an inventory into a new folder and return its ``fabric.yaml``.

    The schemas that its first line names, for editors, lie beside it. The folder may have own
    switch models in it.

    Parameters
    ----------
    text : str, optional
        Content of ``fabric.yaml``; default: a commented inventory to start from.
    overrides : str, optional
        Content of ``devices/leaves.yaml``; default: there is no such file.

    Raises
    ------
    InputError
        When the folder already holds something, or cannot be written.
    """
    if folder.exists() and not is_new(folder):
        raise _refusal(folder, "is not empty")
    target = folder / "fabric.yaml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for kind in _SCHEMAS:
            (folder / f".{kind}.schema.json").write_text(schema(kind), encoding="utf-8")
        if text is None:
            text = Path(__file__).with_name(_STARTING_POINT).read_text(encoding="utf-8")
        target.write_text(text, encoding="utf-8")
        if overrides:
            (folder / "devices").mkdir()
            (folder / "devices" / "leaves.yaml").write_text(overrides, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise _refusal(folder, f"cannot be written: {reason}") from error
    return target


def is_new(folder: Path) -> bool:
    """Tell whether a folder is empty, or holds own switch models alone."""
    return folder.is_dir() and all(
        path.name == MODELS and path.is_dir() for path in folder.iterdir()
    )


def _refusal(folder: Path, message: str) -> InputError:
    place = Position(str(folder))
    finding = Finding("INT020", Severity.ERROR, message, "specify a new folder", position=place)
    return InputError("nothing was written", [finding])


def example(name: str) -> Path:
    """Return the folder of an example inventory: inside the wheel, else beside the package."""
    packaged = Path(str(files("fabric"))) / "_inventory"
    folder = packaged if packaged.is_dir() else Path(__file__).parents[2] / "inventory"
    return folder / name
