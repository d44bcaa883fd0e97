"""Figures of one run of the benchmarks, with the machine they are of: kept in one file."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.topology.fabrics import REPOSITORY

#: The figures that docs/reference/speed.md prints; `make bench-page` measures them again.
FILE = Path(__file__).with_suffix(".json")
#: Names the file that a run writes its figures to; without it, a run prints them only.
VARIABLE = "ROCEFAB_FIGURES"
#: What is measured; a run that measures some of it leaves the others in the file as they are.
PARTS = ("commands", "judge", "anchors", "larger", "sites", "million", "devices", "plans")

Figures = dict[str, Any]


def machine() -> dict[str, Any]:
    """Return what the figures depend on, and how busy the machine is before the run."""
    cpus = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = {line.partition(": ")[2] for line in cpus if line.startswith("model name")}
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": ", ".join(sorted(models)) or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(memory_bytes / 2**30, 1),
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": _git("describe", "--always", "--exclude=*", "--dirty", "--abbrev=12"),
        "busy_processors": round(os.getloadavg()[0], 1),
    }


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def read(file: Path = FILE) -> Figures:
    """Return the figures of a file."""
    figures: Figures = json.loads(file.read_text(encoding="utf-8"))
    return figures


def keep(figures: Figures, of: Mapping[str, Any]) -> None:
    """Write the parts that a run measured to the file that the user named, with its machine."""
    file = Path(os.environ.get(VARIABLE, ""))
    measured = {part: rows for part, rows in figures.items() if rows}
    if not os.environ.get(VARIABLE) or not measured:
        return
    kept = read(file) if file.exists() else {}
    kept |= {part: {"machine": of, "rows": rows} for part, rows in measured.items()}
    file.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(f"\nwrote {', '.join(measured)} to {file}")
