"""Known defects that strike switches by their files; a CONFIG_DB is judged by its rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.findings import Position
from fabric.defects.book import facts
from fabric.observe.configuration.lossless import identity_of
from fabric.platforms.catalogue import Skus
from fabric.validate.defect_lines import LinesContent
from fabric.validate.defect_traits import traits_of_file
from fabric.validate.defects import Judged, defects_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.observe.configuration.lossless import Lossless


def judge(file: str, switch: Lossless, text: str) -> Iterator[Finding]:
    """Yield the known defects that strike a switch by its configuration."""
    relevant = [fact for fact in facts().values() if switch.system in fact.systems]
    if not relevant:
        return
    release, model = identity_of(switch.system, text)
    judged = Judged(
        switch.name,
        switch.system,
        _asic(model, switch.system),
        model,
        release,
        traits_of_file(switch),
        LinesContent(switch.system, text, file),
    )
    for finding in defects_of(judged, relevant):
        yield finding if finding.position else replace(finding, position=Position(file))


def _asic(model: str, system: str) -> str:
    sku = Skus().get(model)
    return sku.asic if sku and sku.nos == system else ""
