"""export prometheus: recording and alerting rules about the series of `observe --listen`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.render.engine import template_folder

if TYPE_CHECKING:
    from fabric.exchange.plant import Plant

FORM = "prometheus"
RULES = "rocefab.rules.yml"


def _rules(_: Plant) -> Exported:
    """Return the rules: the same for every fabric, as the series say what a fabric plans."""
    text = (template_folder() / "prometheus" / "rules.yml").read_text(encoding="utf-8")
    return Exported((text_file(FORM, "rules", RULES, text),))


exporters.add(FORM)(
    Exporter({"rules": _rules}, about=About.MONITORING, title="alert rules for Prometheus")
)
