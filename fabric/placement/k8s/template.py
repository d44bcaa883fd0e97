"""A manifest of the user, filled up with ours: what it says stays, what it lacks is added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.exports import refused
from fabric.core.findings import Finding, Severity
from fabric.core.shown import field_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.core.findings import Position
    from fabric.intent.yaml.file import Document
    from fabric.placement.job_host import Setting

Path = tuple[str | int, ...]
#: Lists whose items have a name, and the key that holds it (Kubernetes API, patchMergeKey).
_NAMED = {
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "replicatedJobs": "name",
    "workerGroupSpecs": "groupName",
}
#: Lists in which ours stands beside theirs.
_SETS = {"add"}
#: Names of containers that a job's controller does not look for.
_FREE = {"launcher", "worker", "node", "ray-head", "ray-worker"}
#: Characters of a value that a note shows; our choice.
_MAX_SHOWN = 60


class Filling:
    """Fills up one document.

    Parameters
    ----------
    document : Document
        The user's manifest.
    settings : mapping
        Our settings by name, which tell why a variable should have another value.
    left_out : mapping
        Why we set a variable nowhere, by name.
    """

    def __init__(
        self, document: Document, settings: Mapping[str, Setting], left_out: Mapping[str, str]
    ) -> None:
        self._document, self._settings, self._left_out = document, settings, left_out
        self.notes: list[Finding] = []

    def fill(self, ours: dict[str, Any]) -> dict[str, Any]:
        """Return the user's manifest with what it lacks.

        Raises
        ------
        InputError
            When it is of another kind or version, or of another shape.
        """
        theirs: Any = self._document.data
        for name in ("apiVersion", "kind"):
            if theirs.get(name) != ours[name]:
                what = f"{name} is {theirs.get(name)!a}, not {ours[name]}"
                raise self._refused((name,), what, "use a template of that kind")
        filled: dict[str, Any] = self._merge(theirs, ours, ())
        return filled

    def _merge(self, theirs: Any, ours: Any, path: Path) -> Any:
        if isinstance(theirs, dict) and isinstance(ours, dict):
            return self._mappings(theirs, ours, path)
        if isinstance(theirs, list) and isinstance(ours, list):
            return self._lists(theirs, ours, path)
        if isinstance(theirs, dict | list) or isinstance(ours, dict | list):
            shape = "a mapping" if isinstance(ours, dict) else "a list"
            shape = shape if isinstance(ours, dict | list) else "a single value"
            raise self._refused(
                path, f"{shape} is expected here", "see the documentation of this job kind"
            )
        if theirs != ours and str(theirs) != str(ours):
            self._tell(path, f"{theirs!a}"[:_MAX_SHOWN], f"{ours!a}"[:_MAX_SHOWN])
        return theirs

    def _mappings(self, theirs: dict[Any, Any], ours: dict[str, Any], path: Path) -> dict[Any, Any]:
        merged = dict(theirs)
        for key, value in ours.items():
            if key not in theirs or theirs[key] is None:
                merged[key] = value
            elif path and path[-2:-1] == ("env",) and key == "value":
                self._variable(str(theirs.get("name")), theirs[key], path)
            else:
                merged[key] = self._merge(theirs[key], value, (*path, key))
        if path and path[-2:-1] == ("env",) and "valueFrom" in theirs:
            merged.pop("value", None)
            self._variable(str(theirs.get("name")), "valueFrom", path)
        return merged

    def _lists(self, theirs: list[Any], ours: list[Any], path: Path) -> list[Any]:
        name = str(path[-1])
        if name in _SETS:
            return [*theirs, *(item for item in ours if item not in theirs)]
        if name not in _NAMED:
            if theirs != ours:
                self._tell(path, f"{theirs!a}"[:_MAX_SHOWN], f"{ours!a}"[:_MAX_SHOWN])
            return theirs
        key = _NAMED[name]
        if name == "containers":
            ours = self._containers(theirs, ours, path)
        known = {item[key]: item for item in ours}
        merged = []
        for index, item in enumerate(theirs):
            if not isinstance(item, dict) or not isinstance(item.get(key), str):
                raise self._refused((*path, index), f"an item has no {key}", f"set its {key}")
            mine = known.pop(item[key], None)
            if name == "env" and mine is None:
                self._own_choice(item[key], item.get("value"), (*path, index))
            merged.append(item if mine is None else self._merge(item, mine, (*path, index)))
        if name == "containers":
            self._check_images(merged, path)
        return [*merged, *known.values()]

    def _check_images(self, containers: list[Any], path: Path) -> None:
        for index, item in enumerate(containers):
            if not item.get("image"):
                raise self._refused((*path, index), "a container has no image", "set its image")

    def _containers(self, theirs: list[Any], ours: list[Any], path: Path) -> list[Any]:
        """Give our container the name of theirs; PyTorchJob insists on the name."""
        (mine,) = ours
        names = [item.get("name") for item in theirs if isinstance(item, dict)]
        if mine["name"] in names:
            return ours
        if mine["name"] in _FREE and names and isinstance(names[0], str):
            return [{**mine, "name": names[0]}]
        what = f"there is no container named {mine['name']}"
        raise self._refused(path, what, f"rename the job container to {mine['name']}")

    def _variable(self, name: str, theirs: Any, path: Path) -> None:
        setting = self._settings.get(name)
        if setting is None or setting.means(str(theirs)):
            return
        message = (
            f"{name} is {str(theirs)[:_MAX_SHOWN]!a} and is kept; rocefab "
            f"would set {setting.value!a}: {setting.reason}"
        )
        fix = "remove it unless you have a specific reason"
        self.notes.append(self._finding("PLC010", Severity.WARNING, path, message, fix))

    def _own_choice(self, name: str, value: Any, path: Path) -> None:
        if name in self._left_out:
            message = (
                f"{name} is {str(value)[:_MAX_SHOWN]!a} and is kept; rocefab does "
                f"not set it: {self._left_out[name]}"
            )
            self.notes.append(self._finding("PLC011", Severity.INFO, path, message, ""))

    def _tell(self, path: Path, theirs: str, ours: str) -> None:
        message = f"{field_text(path)} is {theirs} and is kept; rocefab would set {ours}"
        self.notes.append(self._finding("PLC013", Severity.WARNING, path, message, ""))

    def _finding(
        self, rule: str, severity: Severity, path: Path, message: str, fix: str
    ) -> Finding:
        return Finding(rule, severity, message, fix, position=self._at(path))

    def _at(self, path: Path) -> Position:
        return self._document.position(path)

    def _refused(self, path: Path, what: str, fix: str) -> Exception:
        text = f"{field_text(path)}: {what}" if path else what
        return refused("PLC013", text, fix, position=self._at(path))
