"""init: a commented inventory to start from."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity

_STARTING_POINT = "demo"


def init(folder: Path) -> Path:
    """Copy the small example into a new folder and return its ``fabric.yaml``.

    Raises
    ------
    InputError
        When the folder already holds something.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        finding = Finding(
            "INT020",
            Severity.ERROR,
            "is not an empty folder",
            "name a new one",
            position=Position(str(folder)),
        )
        raise InputError("nothing was written", [finding])
    folder.mkdir(parents=True, exist_ok=True)
    text = (example(_STARTING_POINT) / "fabric.yaml").read_text(encoding="utf-8")
    for kind in ("fabric", "devices", "hosts"):
        from fabric.workflow.show import schema

        (folder / f".{kind}.schema.json").write_text(schema(kind), encoding="utf-8")
    target = folder / "fabric.yaml"
    target.write_text(text.replace("../fabric.schema.json", ".fabric.schema.json"), "utf-8")
    return target


def example(name: str) -> Path:
    """Return the folder of an example inventory: inside the wheel, else beside the package."""
    packaged = Path(str(files("fabric"))) / "_inventory"
    folder = packaged if packaged.is_dir() else Path(__file__).parents[2] / "inventory"
    return folder / name
