"""HST003: GPUs share the NICs evenly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST003")
class GpusPerRail(ModelRule):
    """GPUs share the NICs evenly."""

    severity = Severity.INFO
    why = "A NIC that serves more GPUs than the others slows every collective."
    source = "NVIDIA NCCL user guide (one NIC per GPU or an equal share)"
    guards = ("host.gpus", "rails")

    def check(self, model: Model) -> Iterator[Finding]:
        """Divide the GPUs by the rails."""
        gpus, rails = model.intent.fabric.host.gpus, model.fabric.rails
        if gpus % rails:
            yield self.finding(
                f"{gpus} GPUs do not divide by {rails} rails",
                "",
                place=model.place("host", "gpus"),
            )
