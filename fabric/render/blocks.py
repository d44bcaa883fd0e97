"""A file that consists of blocks, each from a template, behind lines that separate them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.artefact import Artefact
from fabric.render.engine import render
from fabric.render.scope import marked, scoped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabric.design.model import DeviceDesign


def file_of_blocks(
    design: DeviceDesign,
    view: Callable[[DeviceDesign], object],
    features: Sequence[str],
    kind: str,
    line: str = "!",
) -> list[Artefact]:
    """Return the file of a switch: the blocks that are not empty, each behind a line.

    Parameters
    ----------
    view : callable
        What the templates see of a design.
    features : sequence of str
        Names of the templates, in the order of their blocks.
    kind : str
        Kind of the artefact, which is also the name of the file.
    """
    design = scoped(design)
    system, values = design.platform, {"view": view(design), "device": design}
    blocks = [render(f"{system}/{feature}.j2", design.name, values) for feature in features]
    text = "".join(f"{line}\n{block.rstrip()}\n" for block in blocks if block.strip())
    path = f"switches/{design.name}/{kind}.{system}"
    return [Artefact(design.name, system, kind, path, marked(design, text, line).encode())]
