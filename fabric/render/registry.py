"""The renderers of switches, one per network operating system."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from fabric.core.errors import RenderError, UnsupportedError
from fabric.core.findings import Finding, Severity
from fabric.core.registry import Registry
from fabric.design.features import missing
from fabric.design.limits import refusals
from fabric.render.scope import tenants_mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.core.artefact import Artefact
    from fabric.design.model import DeviceDesign

Renderer: TypeAlias = "Callable[[DeviceDesign], list[Artefact]]"

renderers: Registry[Renderer] = Registry("renderer", plugins="render")


def render_device(design: DeviceDesign) -> list[Artefact]:
    """Return the artefacts of one switch, the main one first.

    Parameters
    ----------
    design : DeviceDesign
        Everything that is decided for the switch.

    Raises
    ------
    UnsupportedError
        When the system of the switch lacks what the design needs of it.
    RenderError
        When no renderer knows the platform, or when its output would not be valid.
    """
    if design.platform not in renderers:
        raise RenderError(f"{design.name}: no renderer for platform {design.platform!r}")
    refused = [
        *((one.feature.rule, one.message, one.fix) for one in missing(design)),
        *((one.rule.id, one.message, one.fix) for one in refusals(design)),
    ]
    if refused:
        findings = [
            Finding(rule, Severity.ERROR, message, fix, device=design.name)
            for rule, message, fix in refused
        ]
        raise UnsupportedError("\n".join(map(str, findings)), findings)
    return [*renderers[design.platform](design), *tenants_mark(design)]
