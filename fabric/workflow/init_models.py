"""init: own switch models that the new folder has in ``platforms/``."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fabric.intent.inventory import load
from fabric.platforms.catalogue import Skus
from fabric.workflow.import_base import own_models
from fabric.workflow.init import MODELS, init

if TYPE_CHECKING:
    from collections.abc import Iterator


def models_in(folder: Path) -> Skus:
    """Return the catalogue, and the own models of a folder that has no ``fabric.yaml`` yet.

    Raises
    ------
    InputError
        With all that is wrong in their files.
    """
    if not (folder / MODELS).is_dir():
        return Skus()
    with small_inventory(folder) as inventory:
        return load(inventory, folder.as_posix()).skus


@contextmanager
def small_inventory(
    folder: Path | None, text: str | None = None, overrides: str = ""
) -> Iterator[Path]:
    """Make an inventory in a scratch folder, with the own models of another one."""
    with TemporaryDirectory() as scratch:
        inventory = init(Path(scratch) / "small", text, overrides).parent
        for model in own_models(folder):
            (inventory / model.path).parent.mkdir(parents=True, exist_ok=True)
            (inventory / model.path).write_bytes(model.content)
        yield inventory
