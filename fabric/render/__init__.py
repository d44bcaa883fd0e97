"""From designs to artefacts: the files that are put on switches and hosts."""

from fabric.render.registry import render_device, renderers

__all__ = ["render_device", "renderers"]
