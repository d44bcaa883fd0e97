"""HST009: Each GPU is near exactly one NIC, where the profile assigns them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


def _wrong(gpu: int, gpus: int, count: int) -> str:
    if gpu >= gpus:
        return f"GPU {gpu} does not exist; a host has GPUs 0 to {gpus - 1}"
    if count == 0:
        return f"GPU {gpu} is near no NIC"
    return f"GPU {gpu} is near {count} NICs" if count > 1 else ""


@rules.add("HST009")
class GpusNearOneNic(ModelRule):
    """Each GPU is near exactly one NIC, where the profile assigns them."""

    why = "A GPU near no NIC, or near two, has no definite rail, and jobs pick one arbitrarily."
    source = "NVIDIA NCCL user guide (NIC selection by PCIe distance); nvidia-smi topo -m (legend)"
    guards = ("host.nic.gpus", "host.gpus")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        gpus = model.intent.fabric.host.gpus
        for kind in host_kinds(model):
            near = Counter(gpu for group in kind.host.traits.nic.gpus for gpu in group)
            if not kind.host.traits.nic.gpus:
                continue
            for gpu in sorted({*range(gpus), *near}):
                wrong = _wrong(gpu, gpus, near[gpu])
                if wrong:
                    yield self.finding(
                        wrong,
                        "list each GPU under one NIC, as nvidia-smi topo -m shows",
                        place=traits_place(model, kind.host.name, "nic", "gpus"),
                        device=kind.host.name,
                    )
