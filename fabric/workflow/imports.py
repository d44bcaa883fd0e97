"""import: an inventory folder from what other programs know of a fabric."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.core import hostlist
from fabric.core.counts import counted, noun
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import printable
from fabric.exchange.descriptions import lost_descriptions, own_descriptions
from fabric.exchange.figures import fitting_speeds, own_addresses
from fabric.exchange.forms import Imported, Settings, importers
from fabric.exchange.inventory import generated, guesses, inventory, role_breakouts, switch_models
from fabric.exchange.lanes import in_parts
from fabric.exchange.models import models, refuse_no_words
from fabric.exchange.names import FILE, Names, names_file, read_names
from fabric.exchange.numbered import with_names
from fabric.exchange.recipe import Recipe, differences
from fabric.exchange.roles import complete, with_hosts
from fabric.exchange.routed_pools import host_ports
from fabric.exchange.source_addresses import own_links, own_subnets, pools
from fabric.exchange.tenants import tenant_sections, tunnel_pool
from fabric.exchange.values import role_of
from fabric.exchange.vrfs import lost_vrfs, planned_vrfs
from fabric.intent.yaml.file import assumed_places
from fabric.platforms.model import role_field
from fabric.workflow.config_folder import read_configurations
from fabric.workflow.import_base import base_sections, models_of, own_models, skus_of
from fabric.workflow.import_folder import new_folder, refuse_used
from fabric.workflow.lldp_folder import read_folder
from fabric.workflow.pairs import pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fabric.core.artefact import Artefact
    from fabric.exchange.plant import Plant
    from fabric.platforms.model import Sku

_RANGE = "use names and ranges, such as oob[1-4],border01"
_ROLE = "use leaf, spine, super-spine or host"
#: The password of NetBox, so to say: never an option.
TOKEN_VARIABLE = "ROCEFAB_NETBOX_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(frozen=True)
class Request:
    """What the user tells beside the source, as the command line takes it.

    Parameters
    ----------
    models : tuple of str
        ``WORD=NAME``: model of the catalogue for a role, a switch, or a model of the source.
    columns, roles : tuple of str
        ``NAME=HEADER``: column of a CSV file; ``WORD=ROLE``: role of a word of the source.
    base : Path or None
        Inventory folder or ``fabric.yaml`` whose other sections are taken over.
    connections : Path or None
        How the devices of a running fabric are reached.
    parallel : int
        How many of them are read at the same time; 0 for the default.
    names : Path or None
        CSV file with the name of a device by the one that the source has.
    leave_out : str
        Range of names of devices that are not imported.
    site : str
        Site of NetBox, by its slug; empty is all.
    """

    models: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    cabling: Path | None = None
    hosts: str = ""
    roles: tuple[str, ...] = ()
    names: Path | None = None
    cut_domain: bool = False
    leave_out: str = ""
    rails: int | None = None
    gpus: int | None = None
    base: Path | None = None
    connections: Path | None = None
    parallel: int = 0
    site: str = ""


def import_inventory(
    form: str,
    source: str,
    output: Path,
    request: Request,
    progress: Callable[[str, str], None],
) -> tuple[list[str], tuple[Finding, ...]]:
    """Write a new inventory folder; return its files, and what the user should know.

    The folder is written whole or not at all, and only when it can be loaded and realised.

    Raises
    ------
    InputError
        With all that is wrong with the source, or with the inventory that would come of it.
    OutputFolderError
        When the output folder holds something, or cannot be written.
    """
    if form not in importers:
        message = f"unknown import format {form!r}; available: {', '.join(importers)}"
        raise InputError("unknown import format", [Finding("EXC014", Severity.ERROR, message)])
    refuse_used(output)
    shown = printable(source)
    settings = _settings(form, request)
    imported = _read(form, source, settings, (request, progress))
    if request.hosts:
        plant = with_hosts(imported.plant, request.hosts, shown, imported.notes)
        imported = replace(imported, plant=plant)
    plant, notes = (imported.plant, ()) if imported.generated else complete(imported.plant, shown)
    recipe = replace(
        _as_found(_recipe(plant, shown, output.absolute().name, request), imported),
        invented=_groups(plant) - _groups(imported.plant),
        remarks=imported.remarks,
    )
    if not imported.generated:
        plant, recipe = _in_parts(plant, imported, recipe, request, shown)
    named = names_file(settings.names, plant.device)
    beside = (*imported.files, *named, *own_models(request.base))
    with new_folder(output) as folder:
        files = [*_files(imported, plant, recipe, request), *beside]
        realised = folder.realised(files)
        described = partial(_descriptions, imported)
        for kept in () if imported.generated else (_networks, _addresses, described):
            own = kept(plant, realised)
            if any(own.values()):
                recipe = replace(recipe, **own)
                files = [*inventory(plant, recipe), *beside]
                realised = folder.realised(files)
        folder.place()
    notes = (
        *imported.plant.notes,
        *imported.notes,
        *notes,
        *guesses(plant, recipe),
        *differences(plant, realised, shown),
        *lost_descriptions(imported.descriptions, realised, shown),
        *lost_vrfs(imported.vrfs, planned_vrfs(realised), Position(shown)),
    )
    notes += tuple(_assumed(files, output))
    return [file.path for file in files], notes


def _as_found(recipe: Recipe, imported: Imported) -> Recipe:
    """Return a recipe with the BGP settings and servers of the source, where it tells them."""
    fields: dict[str, Mapping[str, object]] = {"management": imported.management}
    if imported.allowas_in:
        fields["bgp"] = {"allowas_in": imported.allowas_in}
    sections = {
        name: {**recipe.base.get(name, {}), **values} for name, values in fields.items() if values
    }
    told = frozenset((name, field) for name, values in fields.items() for field in values)
    return replace(recipe, base={**recipe.base, **sections}, told=told)


def _networks(plant: Plant, realised: Plant) -> dict[str, Any]:
    """Return subnets and addresses of switches that are not those of the pools."""
    return {"subnets": own_subnets(plant, realised), "links": own_links(plant, realised)}


def _addresses(plant: Plant, realised: Plant) -> dict[str, Any]:
    """Return addresses of NICs that do not follow from their subnets."""
    return {"addresses": own_addresses(plant, realised)}


def _descriptions(imported: Imported, _plant: Plant, realised: Plant) -> dict[str, Any]:
    """Return descriptions of ports that are not those of the design."""
    return {"descriptions": own_descriptions(imported.descriptions, realised)}


def _in_parts(
    plant: Plant, imported: Imported, recipe: Recipe, request: Request, shown: str
) -> tuple[Plant, Recipe]:
    """Return plant and recipe with the names of ports, and the ports that cables break out."""
    skus = skus_of(request.base)
    models = {name: skus[sku] for name, sku in switch_models(plant, recipe).items() if sku in skus}
    plant = with_names(plant, imported.numbers, models, shown)
    splits = role_breakouts(plant, recipe)
    plant, breakouts = in_parts(plant, imported.lanes, models, splits, imported.ports, shown)
    base, of_user = recipe.base.get("addressing", {}), bool(recipe.base_name)
    addressing = pools(plant, base, of_user=of_user)
    ports = host_ports(plant, models, addressing)
    recipe = replace(recipe, breakouts=breakouts, host_ports=ports)
    recipe = _with_tenants(plant, imported, recipe, addressing)
    return plant, recipe if recipe.base_name else _fitted(plant, recipe, models)


def _with_tenants(
    plant: Plant, imported: Imported, recipe: Recipe, addressing: Mapping[str, Any]
) -> Recipe:
    """Return a recipe with the tenants of the source, unless those of the base count."""
    if "tenants" in recipe.base:
        return recipe
    sections, quarantined = tenant_sections(plant, imported.vrfs)
    if sections:
        sections["tenancy"] |= tunnel_pool(plant, imported.tunnel_ends, addressing["loopbacks"])
    return replace(recipe, tenants=sections, quarantined=quarantined)


def _fitted(plant: Plant, recipe: Recipe, models: Mapping[str, Sku]) -> Recipe:
    """Return a recipe whose default speeds are those of the switch models."""
    usual = recipe.base["speeds"]
    speeds = fitting_speeds(plant, models, usual)
    fitted = frozenset(key for key, value in speeds.items() if value != usual.get(key))
    return replace(recipe, base={**recipe.base, "speeds": speeds}, fitted=fitted)


def _assumed(files: Iterable[Artefact], output: Path) -> Iterator[Finding]:
    """Yield how many values are assumed; those of models of the base are its own."""
    yaml = [file for file in files if file.path.endswith(".yaml") and file.kind == "inventory"]
    places = [
        place
        for file in yaml
        for place in assumed_places(file.text, printable(f"{output}/{file.path}"))
    ]
    if places:
        message = (
            f"{counted(len(places), 'value is', 'values are')} not in the source and "
            f"{noun(len(places), 'was', 'were')} assumed"
        )
        fix = "each is marked with a comment: confirm the value and remove the comment"
        yield Finding("EXC015", Severity.INFO, message, fix, position=places[0])


def _groups(plant: Plant) -> frozenset[str]:
    """Return the names of units and pods."""
    return frozenset(name for item in plant.devices for name in (item.unit, item.pod))


def _files(
    imported: Imported, plant: Plant, recipe: Recipe, request: Request
) -> tuple[Artefact, ...]:
    if imported.generated:
        return generated(plant, recipe, request.rails or 1)
    return inventory(plant, recipe)


def _settings(form: str, request: Request) -> Settings:
    """Return what an importer is to know; options that have no effect on it are errors."""
    importer, roles = importers[form], pairs(request.roles, "--role")
    wrong = [
        (f"{form} sources have no {what}, so {option} has no effect", f"remove {option}")
        for option, what, given, possible in (
            ("--role", "words for roles", roles, importer.has_roles),
            ("--names", "names of devices that can be mapped", request.names, importer.has_names),
        )
        if given and not possible
    ]
    wrong += [
        (f"--role {printable(word)}: {printable(role)[:60]!r} is not a role", _ROLE)
        for word, role in roles.items()
        if role_of(role) is None
    ]
    if wrong:
        findings = [Finding("EXC014", Severity.ERROR, *both) for both in wrong]
        raise InputError("invalid option", findings)
    return Settings(
        columns=pairs(request.columns, "--columns"),
        cabling=request.cabling,
        roles=roles,
        names=_names(request) if importer.has_names else Names(),
        cut_domain=request.cut_domain,
        left_out=_left_out(request.leave_out),
        rails=request.rails,
        gpus=request.gpus,
    )


def _left_out(names: str) -> frozenset[str]:
    try:
        return frozenset(hostlist.expand(names)) if names else frozenset()
    except ValueError as error:
        reason, fix = hostlist.worded(error, _RANGE)
        finding = Finding("EXC014", Severity.ERROR, f"--leave-out: {reason}", fix)
        raise InputError("invalid option", [finding]) from error


def _names(request: Request) -> Names:
    """Return the names of the request, or those that an earlier import left in the base."""
    if request.names:
        return read_names(request.names)
    kept = request.base / FILE if request.base and request.base.is_dir() else None
    return read_names(kept, required=False) if kept and kept.is_file() else Names()


def _read(
    form: str,
    source: str,
    settings: Settings,
    live_from: tuple[Request, Callable[[str, str], None]],
) -> Imported:
    importer, reader = importers[form], _LIVE.get(form)
    live = reader(source, *live_from) if reader else None
    if live is None:
        return importer.read(Path(source), settings)
    assert importer.parse is not None
    return importer.parse(live, printable(source), settings)


def _netbox(source: str, request: Request, progress: Callable[[str, str], None]) -> Any:
    if not source.startswith(("http://", "https://")):
        return None
    from fabric.devices.netbox import read_netbox

    return read_netbox(source, os.environ.get(TOKEN_VARIABLE, ""), request.site, progress)


def _lldp(source: str, request: Request, progress: Callable[[str, str], None]) -> Any:
    if not Path(source).is_dir():
        return None
    if not any(Path(source).glob("*.yaml")):
        return read_folder(Path(source))
    from fabric.workflow.observe import Selection, observe
    from fabric.workflow.project import Project

    fields = ("facts", "lldp", "interfaces")
    selection = Selection(parallel=request.parallel)
    seen = observe(Project(source), request.connections, selection, fields, progress)
    return [item.as_dict() for item in seen]


def _configs(source: str, request: Request, progress: Callable[[str, str], None]) -> Any:
    del request, progress
    return read_configurations(Path(source)) if Path(source).exists() else None


_LIVE = {"configs": _configs, "lldp": _lldp, "netbox": _netbox}


def _recipe(plant: Plant, shown: str, name: str, request: Request) -> Recipe:
    base = base_sections(request.base)
    named_skus = pairs(request.models, "--model")
    chosen = {role_field(_role(word)): sku for word, sku in named_skus.items() if _role(word)}
    for section, sku in chosen.items():
        base.setdefault("platforms", {}).setdefault(section, {})["sku"] = sku
    others = {word: sku for word, sku in named_skus.items() if not _role(word)}
    refuse_no_words(plant, others, shown)
    told = {*others, *(one.name for one in plant.switches if role_field(one.role) in chosen)}
    of_base = models_of(request.base, plant, told)
    skus = models(plant, skus_of(request.base), of_base | others, shown)
    _refuse_unknown_roles(plant, skus, base, shown)
    return Recipe(
        *(name, shown, base, skus, request.gpus),
        base_name=printable(str(request.base)) if request.base else "",
        named=frozenset(chosen),
        of_base=frozenset(of_base),
    )


def _role(word: str) -> str:
    kind, role = role_of(word) or ("", "")
    return role if kind == "switch" else ""


def _refuse_unknown_roles(
    plant: Plant, skus: Mapping[str, str], base: Mapping[str, Any], shown: str
) -> None:
    """Refuse switches of which neither source nor base tells the model."""
    lacking: Counter[str] = Counter()
    for device in plant.switches:
        section = base.get("platforms", {}).get(role_field(device.role), {})
        if device.name not in skus and not section.get("sku"):
            lacking[device.role] += 1
    findings = [
        Finding(
            "EXC009",
            Severity.ERROR,
            f"the model of {counted(count, 'switch')} with role {role} is unknown",
            f"set it with --model {role}=NAME; `rocefab show platforms` lists the names",
            position=Position(shown),
        )
        for role, count in lacking.items()
    ]
    if findings:
        raise InputError(f"{counted(len(findings), 'error')} in {shown}", findings)
