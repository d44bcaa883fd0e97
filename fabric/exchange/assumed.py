"""Why values of a new inventory are assumed: they are not of the source, and a user confirms them.

Values of the source, and those that a user gives with the command, are not assumed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from fabric.core.counts import counted
from fabric.exchange.figures import untold
from fabric.exchange.host_profile import MANAGEMENT, management
from fabric.exchange.source_addresses import pools

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.exchange.host_profile import HostProfile
    from fabric.exchange.plant import Plant
    from fabric.exchange.recipe import Recipe

#: Keys and places in lists that lead to a value.
Path: TypeAlias = "tuple[str | int, ...]"

#: Sections that are of the source, or that the user gives; all others come from the base.
_OF_SOURCE = frozenset({
    *("name", "design", "cabling", "rails", "nic_ports", "planes", "units", "switches"),
    *("spines", "super_spines", "leaf_names"),
})
_WORDS: dict[Path, str] = {
    ("addressing",): "no address pools in the source",
    ("host", "gpus"): "no GPU count in the source",
}
#: Pools that are made around the addresses of the source.
_POOLS: set[Path] = {
    *(
        ("addressing", name)
        for name in ("hosts", "routed_hosts", "loopbacks", "uplinks", "core_links")
    ),
    *(("addressing", "ipv6", name) for name in ("hosts", "uplinks")),
}
#: Pools that hosts route whole: a wider one changes the routes of every host.
_OF_HOSTS = {
    ("addressing", "hosts"),
    ("addressing", "routed_hosts"),
    ("addressing", "ipv6", "hosts"),
}
_ROUTED = "each host routes this pool: set the real one before the first apply"
_DEFAULT = "a rocefab default"
_ROLES = {"leaf": "leaf", "spine": "spine", "super_spine": "super-spine"}


def assumed(
    plant: Plant, recipe: Recipe, names: HostProfile, tree: Mapping[str, Any]
) -> dict[Path, str]:
    """Return why each assumed value of a ``fabric.yaml`` is none of the source."""
    return dict(_Assumed(plant, recipe, names, tree).all())


class _Assumed:
    def __init__(
        self, plant: Plant, recipe: Recipe, names: HostProfile, tree: Mapping[str, Any]
    ) -> None:
        self._plant, self._recipe, self._names, self._tree = plant, recipe, names, tree
        self._figures = untold(plant)

    def all(self) -> Iterator[tuple[Path, str]]:
        yield from self._head()
        for index, unit in enumerate(self._tree["units"]):
            named = [unit[key] for key in ("name", "pod") if unit.get(key) in self._recipe.invented]
            if named:
                word = "name" if len(named) == 1 else "names"
                text = f"the {word} {' and '.join(named)}; membership is derived from the cables"
                yield ("units", index), text
        for index, switch in enumerate(self._tree.get("switches", ())):
            if switch["names"] in self._recipe.of_base and "sku" in switch:
                text = f"no switch model in the source; from the base {self._recipe.base_name}"
                yield ("switches", index), text
        for index, tenant in enumerate(self._recipe.tenants.get("tenants", ())):
            if tenant["name"] == f"vrf{tenant['id']}":
                yield ("tenants", index), "no name in the source; that of the VRF"
        for path, value in _leaves(self._tree, ()):
            is_told = (
                path[0] in {*_OF_SOURCE, *self._recipe.tenants} or path[:2] in self._recipe.told
            )
            reason = "" if is_told else self._reason(path)
            if reason:
                yield path, f"{reason}; {self._origin(path, value)}"

    def _head(self) -> Iterator[tuple[Path, str]]:
        if not self._plant.name:
            yield ("name",), "no fabric name in the source; taken from the output folder"
        if self._tree["design"] != "explicit":
            yield ("design",), "no cables in the source"
            yield from self._recipe.remarks.items()
        for section in ("spines", "super_spines"):
            for path, value in _leaves(self._tree.get(section, {}), (section,)):
                if section in self._recipe.base:
                    yield path, f"no cables in the source; {self._origin(path, value)}"
                elif path[-1] == "spines_per_pod":
                    yield path, "reserved for more spines"

    def _reason(self, path: Path) -> str:
        """Return what the source lacks; nothing for what is of the source, or told."""
        section, key = path[0], str(path[-1])
        if section in {"speeds", "cables"}:
            figure = self._figures.get((str(section), key))
            return figure.reason if figure else ""
        if section == "platforms" and key == "sku":
            return self._model(str(path[1]))
        if path == ("platforms", "leaf", "host_ports") and self._recipe.host_ports:
            return ""  # follows from the hosts of the source
        if path == ("platforms", "spine", "down_ports") and not self._of_base(path):
            return ""  # follows from the leaves of the source
        if path == ("host", "interfaces"):
            return "" if self._names.has_interfaces else "no NIC names in the source"
        if path == ("host", "rdma_devices"):
            return self._rdma_devices()
        if path == ("host", "gpus") and self._recipe.gpus:
            return ""
        if path not in _POOLS and self._of_addresses(path):
            return ""  # the addresses of the source have that form
        return _WORDS.get(path, _WORDS.get(path[:1], "not in the source"))

    def _of_addresses(self, path: Path) -> bool:
        """Tell whether a value of ``addressing`` follows from the addresses of the source."""
        made: Any = {"addressing": pools(self._plant, {})}
        for key in path:
            made = made.get(key) if isinstance(made, dict) else None
        return path[0] == "addressing" and made is not None

    def _rdma_devices(self) -> str:
        nics = self._plant.nics
        lacking = sum(not nic.rdma_device for nic in nics)
        if lacking == len(nics):
            return "no RDMA devices in the source"
        if lacking:
            return f"no RDMA device in the source for {lacking} of {counted(len(nics), 'NIC')}"
        return (
            "" if self._names.has_rdma_devices else "no host in the source lists all RDMA devices"
        )

    def _model(self, section: str) -> str:
        if section in self._recipe.named:
            return ""
        present, lacking = self._models(section)
        if not present:
            return "no such switches in the source"
        if lacking == present:
            return "no switch models in the source"
        return (
            f"no model in the source for {lacking} of {counted(present, 'switch')}"
            if lacking
            else ""
        )

    def _models(self, section: str) -> tuple[int, int]:
        """Return how many switches of a role there are, and how many have no model."""
        mine = [item.name for item in self._plant.switches if item.role == _ROLES[section]]
        told = self._recipe.skus.keys() - self._recipe.of_base
        return len(mine), sum(name not in told for name in mine)

    def _origin(self, path: Path, value: object) -> str:
        """Return where a value comes from."""
        if path == ("host", "management_interface"):
            base = self._recipe.base.get("host", {})
            interface = base.get("management_interface", MANAGEMENT)
            if interface != management(self._plant, base):
                return f"{interface} is a NIC of the fabric"
        if path[0] == "speeds" and path[1] in self._recipe.fitted and not self._some(path):
            return "the fastest that the ports of the switch models offer"
        if self._of_base(path) == [value]:
            return f"from the base {self._recipe.base_name}" if self._recipe.base_name else _DEFAULT
        if path in _POOLS and self._of_addresses(path):
            origin = "around its addresses"
            return f"{origin}; {_ROUTED}" if path in _OF_HOSTS else origin
        if path[0] in {"speeds", "cables"} or path[-1] == "sku":
            return "the most common value" if self._some(path) else _DEFAULT
        return "numbered in order" if path[1:] in {("interfaces",), ("rdma_devices",)} else _DEFAULT

    def _some(self, path: Path) -> bool:
        """Say whether some cables or switches have the value in the source."""
        if path[-1] == "sku":
            present, lacking = self._models(str(path[1]))
            return lacking < present
        return self._figures[str(path[0]), str(path[1])].some

    def _of_base(self, path: Path) -> list[object]:
        """Return the value of the base in a list, which is empty where there is none."""
        value: Any = self._recipe.base
        for key in path:
            if not isinstance(value, dict) or key not in value:
                return []
            value = value[key]
        return [value]


def _leaves(tree: Mapping[str, Any], above: Path) -> Iterator[tuple[Path, Any]]:
    """Yield what is no mapping, and where it is."""
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), value
