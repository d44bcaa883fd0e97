"""An inventory folder, read and validated as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.shown import field_text
from fabric.core.steps import stage
from fabric.intent.device_model import DeviceOverride, DevicesFile
from fabric.intent.documents import read_folder
from fabric.intent.host_model import HostOverride, HostsFile, HostTraits
from fabric.intent.model import FabricFile
from fabric.intent.policy import merge
from fabric.intent.range_limit import too_many_names
from fabric.intent.tenancy_model import Tenant, TenantsFile
from fabric.platforms.catalogue import Skus

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fabric.core.findings import Position
    from fabric.defects.fact import Fact
    from fabric.intent.cabling import Cabling
    from fabric.intent.yaml.file import Document
    from fabric.platforms.model import Sku

T = TypeVar("T")
ModelT = TypeVar("ModelT", bound=BaseModel)
FieldPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Located(Generic[T]):
    """A validated value together with the place where it stands.

    Parameters
    ----------
    prefix : str
        What messages put before its path: ``fabric`` in ``fabric.yaml``.
    """

    value: T
    document: Document
    path: FieldPath
    prefix: str = ""

    def field(self, *path: str | int) -> str:
        """Return what messages call a field below the value: ``hosts[0].nics[1].mac``."""
        return field_text((*((self.prefix,) if self.prefix else ()), *self.path, *path))

    def content(self, *path: str | int) -> str:
        """Return all that the value, or what is below it, says in the file, and where."""
        return self.document.content((*self.path, *path))

    def position(self, *path: str | int) -> Position:
        """Return the position of a field below the value."""
        return self.document.position((*self.path, *path))


@dataclass(frozen=True)
class Intent:
    """The inventory: ``fabric.yaml`` and the overrides, all valid by themselves.

    Parameters
    ----------
    folder : str
        The folder as the user named it.
    fabric : FabricFile
        Content of ``fabric.yaml``.
    devices, hosts : tuple of Located
        Overrides in the order of file name and line; a later one wins field by field.
    tenants : tuple of Located
        Tenants of ``fabric.yaml``, then of the other files.
    skus : Skus
        Switch models by name: those of the catalogue, and the inventory's own.
    cabling : Cabling or None
        Cables that are named one by one.
    warnings : tuple of Finding
        What is odd about the files, though it can be used.
    assumed : tuple of Position
        Comments that say that a value was assumed by an import.
    defects : tuple of Fact
        The inventory's own facts about defects.
    """

    folder: str
    fabric: FabricFile
    document: Document
    devices: tuple[Located[DeviceOverride], ...] = ()
    hosts: tuple[Located[HostOverride], ...] = ()
    tenants: tuple[Located[Tenant], ...] = ()
    skus: Skus = field(default_factory=Skus)
    cabling: Cabling | None = None
    warnings: tuple[Finding, ...] = ()
    assumed: tuple[Position, ...] = ()
    defects: tuple[Fact, ...] = ()

    def position(self, *path: str | int) -> Position:
        """Return the position of a field of ``fabric.yaml``, or of its nearest parent."""
        return self.document.position(path)

    def finding(
        self,
        rule: str,
        message: str,
        fix: str,
        *path: str | int,
        severity: Severity = Severity.ERROR,
    ) -> Finding:
        """Return what is wrong at a field of ``fabric.yaml``."""
        field = field_text(("fabric", *path))
        return Finding(rule, severity, message, fix, field, self.position(*path))

    @cached_property
    def device_overrides(self) -> dict[str, list[Located[DeviceOverride]]]:
        """Overrides by device name."""
        return _by_name(self.devices)

    @cached_property
    def host_overrides(self) -> dict[str, list[Located[HostOverride]]]:
        """Overrides by host name."""
        return _by_name(self.hosts)

    @cached_property
    def own_loopbacks(self) -> frozenset[str]:
        """Switches whose loopback is in the list of an explicit design."""
        listed = (entry for entry in self.fabric.switches if entry.loopback is not None)
        return frozenset(name for entry in listed for name in hostlist.expand(entry.names))

    def host_traits(self, name: str) -> HostTraits:
        """Return what a host is like: ``host`` of the fabric, and what its overrides say."""
        traits: HostTraits = self.fabric.host
        for override in self.host_overrides.get(name, ()):
            traits = merge(traits, override.value.traits)
        return traits


@stage("load")
def load(folder: Path, shown_as: str | None = None) -> Intent:
    """Read an inventory folder.

    Parameters
    ----------
    folder : Path
        Folder that holds ``fabric.yaml``.
    shown_as : str, optional
        How messages name the folder; default: as given.

    Raises
    ------
    InputError
        With a finding for everything that is wrong in any file.
    """
    documents = read_folder(folder, shown_as)
    if too_many := too_many_names(documents):
        raise InputError(f"1 error in {shown_as or folder}", [too_many])
    findings: list[Finding] = []
    fabric = _validate(FabricFile, documents.fabric, "fabric", findings)
    devices = [(doc, _validate(DevicesFile, doc, "", findings)) for doc in documents.devices]
    hosts = [(doc, _validate(HostsFile, doc, "", findings)) for doc in documents.hosts]
    tenants = [(doc, _validate(TenantsFile, doc, "", findings)) for doc in documents.tenants]
    skus, warnings = _own_skus(documents.platforms, folder, findings)
    defects = _own_defects(documents.defects, findings)
    if findings or fabric is None:
        name = shown_as or str(folder)
        raise InputError(f"{counted(len(findings), 'error')} in {name}", findings)
    return Intent(
        folder=shown_as or str(folder),
        fabric=fabric,
        document=documents.fabric,
        devices=tuple(
            Located(item, doc, ("devices", index))
            for doc, file in devices
            if file
            for index, item in enumerate(file.devices)
        ),
        hosts=tuple(
            Located(item, doc, ("hosts", index))
            for doc, file in hosts
            if file
            for index, item in enumerate(file.hosts)
        ),
        tenants=(
            *(
                Located(item, documents.fabric, ("tenants", index), "fabric")
                for index, item in enumerate(fabric.tenants)
            ),
            *(
                Located(item, doc, ("tenants", index))
                for doc, file in tenants
                if file
                for index, item in enumerate(file.tenants)
            ),
        ),
        skus=Skus(skus),
        cabling=documents.cabling,
        warnings=tuple(warnings),
        assumed=tuple(place for doc in documents.all for place in doc.assumed),
        defects=tuple(defects),
    )


def _own_skus(
    documents: Sequence[Document], folder: Path, findings: list[Finding]
) -> tuple[dict[str, Sku], list[Finding]]:
    """Return the switch models of an inventory, which few inventories have, and warnings."""
    if not documents:
        return {}, []
    from fabric.intent.own_skus import build_skus
    from fabric.intent.sku_model import PlatformsFile

    files = [(doc, _validate(PlatformsFile, doc, "", findings)) for doc in documents]
    own = build_skus([(doc, file) for doc, file in files if file], folder)
    findings += [one for one in own.findings if one.severity is Severity.ERROR]
    return own.skus, [one for one in own.findings if one.severity < Severity.ERROR]


def _own_defects(texts: Sequence[tuple[str, str]], findings: list[Finding]) -> list[Fact]:
    """Return the facts of an inventory, which few inventories have."""
    if not texts:
        return []
    from fabric.defects.book import own_fact

    facts = []
    for shown, text in texts:
        try:
            facts.append(own_fact(text, shown))
        except InputError as error:
            findings += error.findings
    return facts


def _validate(
    model: type[ModelT], document: Document, prefix: str, findings: list[Finding]
) -> ModelT | None:
    try:
        return model.model_validate(document.data)
    except ValidationError as error:
        from fabric.intent.explain_errors import explain

        findings.extend(explain(error, document, model, (prefix,) if prefix else ()))
        return None


def _by_name(overrides: tuple[Located[Any], ...]) -> dict[str, list[Located[Any]]]:
    by_name: dict[str, list[Located[Any]]] = {}
    for override in overrides:
        for name in hostlist.expand(override.value.names):
            by_name.setdefault(name, []).append(override)
    return by_name
