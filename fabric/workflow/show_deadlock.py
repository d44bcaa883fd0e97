"""show deadlock: the proof that lossless traffic cannot wait for itself, or the circle of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.workflow.table import Table

if TYPE_CHECKING:
    from fabric.workflow.project import Project


def deadlock(project: Project) -> Table:
    """Return what was looked at, and the first cycle or bounce that was found."""
    from fabric.qos.deadlock import prove

    proof = prove(project.fabric, project.resolver)
    answer = "no cyclic buffer dependency" if proof.free else "cyclic buffer dependency"
    rows: list[tuple[str, object]] = [
        ("answer", answer),
        ("lossless buffers", proof.vertices),
        ("single failures checked", proof.failures_checked),
    ]
    if proof.cycle:
        rows.append(("after the failure of", proof.failure or "none: it exists without a failure"))
        rows += [("waits for the next", str(channel)) for channel in proof.cycle.channels]
    if proof.bounce:
        when = f" after {proof.bounce.failure}" if proof.bounce.failure else ""
        rows.append(("leaf between spines", f"{proof.bounce.leaf}{when}"))
    return Table(("item", "value"), tuple(rows))
