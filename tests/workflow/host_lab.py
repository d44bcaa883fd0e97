"""A lab of the demonstration inventory whose hosts have had their files applied."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project

DEMO = Path(__file__).parents[2] / "inventory" / "demo"
_ROOT = "rootfs"


@contextmanager
def applied_lab(folder: Path, monkeypatch, inventory: Path = DEMO):
    """Yield (lab, project, connections file); hosts are set up, switches fresh from the box."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    project = Project(inventory)
    with laboratory(project, folder / "lab") as lab:
        for name in project.hosts:  # the switches stay as from the box: shut
            lab[name].watch_light(lambda _port: True)
        for name, artefacts in project.host_artefacts.items():
            for item in artefacts:
                _, mark, path = item.path.partition(_ROOT)
                if mark:
                    lab[name].fs.put(path, item.text)
            code, text = lab[name].run_detached("sh /etc/rocefab/apply.sh")
            assert code == 0, text
        yield lab, project, folder / "lab" / CONNECTIONS


def silent(_device: str, _text: str) -> None:
    """Say nothing."""
