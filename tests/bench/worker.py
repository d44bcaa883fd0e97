"""Times the stages of one inventory in a process of its own; prints JSON.

``python -m tests.bench.worker FOLDER [MODELS [WORKERS]]``: MODELS is a folder of switch models to
use beside ours. Run for each inventory, so that the peak of the memory is its own.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from fabric.platforms import catalogue


def main(folder: str, models: str = "", workers: str = "1") -> dict[str, Any]:
    """Return seconds of each stage, counts, and the peak of the memory in MiB."""
    if models:
        ours = catalogue.data_files
        more = {path.stem: path for path in Path(models).glob("*.toml")}
        catalogue.data_files = lambda kind: ours(kind) | (more if kind == "skus" else {})
    from fabric.workflow.check import check
    from fabric.workflow.project import Project
    from fabric.workflow.work import Work

    stages: dict[str, float] = {}
    last = time.perf_counter()

    def done(stage: str) -> None:
        nonlocal last
        now = time.perf_counter()
        stages[stage] = now - last
        last = now

    project = Project(folder, Work(workers=int(workers)))
    done("load")
    made = project.fabric
    devices, hosts = project.devices, project.hosts
    done("realise + design")
    artefacts = [*project.switch_artefacts.values(), *project.host_artefacts.values()]
    done("render")
    outcome = check(project)
    done("check")
    return {
        "stages": stages,
        "switches": len(devices),
        "hosts": len(hosts),
        "cables": len(made.nics) + len(made.uplinks),
        "bytes": sum(len(item.content) for items in artefacts for item in items),
        "findings": len(outcome.findings),
        "broken": outcome.broken,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
