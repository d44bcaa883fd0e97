"""SONiC: what a CONFIG_DB says of ports, VLANs and BGP, and what bgpcfgd makes of it.

Where BGP is not managed by CONFIG_DB tables, bgpcfgd announces Loopback0 as /32 and the network of
each VLAN, permits every route and relaxes multipath (sonic-buildimage 0157618724cc,
dockers/docker-fpm-frr/frr/bgpd/bgpd.main.conf.j2 and templates/general); the number of equal paths
is that of files/image_config/constants/constants.yml there. Where the tables manage BGP, a session
without a policy passes no route (FRRouting, bgpd/bgp_vty.c, ``bgp ebgp-requires-policy``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.json_text import parse_json
from fabric.observe.configuration import Bgp, Configured, Leftover, readers
from fabric.observe.configuration.defaults import absence
from fabric.observe.parsers import UnreadableError
from fabric.systems.sonic.config_db import ADDRESSED
from fabric.systems.sonic.config_db_forms import foreign_form
from fabric.systems.sonic.platforms import FRAMEWORK
from fabric.systems.sonic.reading import ports, sessions
from fabric.systems.sonic.reading.model import FILE, GENERAL, READER, router_id_of, text_of
from fabric.validate.json_lines import key_positions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.systems.sonic.reading.model import Fields, Row

__all__ = ["FILE", "NO_POLICY", "ports", "read", "require_policies", "sessions"]

#: Stands where BGP wants a policy and the file names none; it permits nothing.
NO_POLICY = "(none)"

#: ``bgp.maximum_paths.ipv4`` of constants.yml.
MAX_PATHS = 64

#: Values of ``docker_routing_config_mode`` with which the database alone says what FRR does
#: (dockers/docker-fpm-frr/docker_init.sh).
_OWN_FILES = ("unified", "separated")
#: Values of ``BGP_DEVICE_GLOBAL|STATE`` that change nothing.
_CARRIES_TRAFFIC = {
    "tsa_enabled": "false",
    "wcmp_enabled": "false",
    "idf_isolation_state": "unisolated",
}
#: Fields of DEVICE_METADATA that other tables hang on, and the value that counts.
_SWITCHES = {FRAMEWORK: "true", "default_bgp_status": "down"}


@readers.add("sonic")
def read(files: Mapping[str, str]) -> Configured:
    """Return what a CONFIG_DB says.

    Raises
    ------
    UnreadableError
        When it is not a CONFIG_DB dump.
    """
    switch = Configured("sonic", FILE)
    tables = _tables(files[FILE])
    lines = key_positions(files[FILE], FILE, depth=2)
    for name in dict.fromkeys((*READER.tables, *tables)):
        rows = [
            (tuple(key.split("|")), row, lines[name, key].line)
            for key, row in tables.get(name, {}).items()
        ]
        if name in READER.tables:
            _apply(switch, name, rows)
            if FRAMEWORK in switch.global_lines:
                switch.leftovers += _unknown_fields(name, rows)
        elif not READER.passes_over(name):
            switch.leftovers += [Leftover(line, f"{name}|{'|'.join(key)}") for key, _, line in rows]
    _drop_orphans(switch, tables)
    if switch.bgp:
        switch.bgp.resolve()
    if "BGP_GLOBALS" in tables:
        require_policies(switch)
    return switch


def _drop_orphans(switch: Configured, tables: Mapping[str, Mapping[str, Fields]]) -> None:
    """Take away ports that do not exist, and addresses without the row of their interface."""
    for name in [name for name in switch.ports if name.startswith("Ethernet")]:
        if name.partition(".")[0] not in tables.get("PORT", {}):
            del switch.ports[name]
    rows = {name for table in ADDRESSED for name in tables.get(table, {})}
    for name, port in switch.ports.items():
        if name not in rows and port.addresses:
            words = f"addresses of {name}: {absence('sonic', 'interface_row')}"
            switch.leftovers.append(Leftover(port.addresses[0].line, words))
            port.addresses = []


def require_policies(switch: Configured) -> None:
    """Let no route pass over a session that has no policy for its direction."""
    for peer in switch.bgp.peers.values() if switch.bgp else ():
        names = ["policy_in", "policy_out"]
        names += ["policy_in6", "policy_out6"] if peer.activated6 else []
        for name in names:
            if not getattr(peer, name):
                switch.policies[NO_POLICY] = []
                setattr(peer, name, NO_POLICY)


def _tables(text: str) -> dict[str, dict[str, Fields]]:
    try:
        tables: dict[str, dict[str, Fields]] = parse_json(text)
    except ValueError as error:
        raise UnreadableError(f"not JSON: {error}") from error
    if reason := foreign_form(tables):
        raise UnreadableError(reason)
    return tables


def _apply(switch: Configured, name: str, rows: list[Row]) -> None:
    """Apply the rows of a table; one that the action does not know becomes a leftover."""
    for key, row, line in rows:
        try:
            READER.tables[name](switch, key, row, line)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            switch.leftovers.append(Leftover(line, f"{name}|{'|'.join(key)}"))


def _unknown_fields(name: str, rows: list[Row]) -> Iterator[Leftover]:
    """Yield the fields of the rows of a table that nobody knows."""
    for key, row, line in rows:
        fields = row.keys() if isinstance(row, dict) else set()  # others are left over whole
        for field in sorted(fields - READER.fields.get(name, fields)):
            yield Leftover(line, f"{name}|{'|'.join(key)}.{field}")


@READER.means("metadata")
def _metadata(switch: Configured, _: tuple[str, ...], row: Fields, line: int) -> None:
    if "hostname" not in row:
        raise ValueError("a switch without a name")
    switch.name = text_of(row, "hostname")
    switch.global_lines |= {key for key in _SWITCHES if row.get(key) == _SWITCHES[key]}
    if FRAMEWORK not in switch.global_lines and row.get("bgp_asn", "None") != "None":
        switch.bgp = Bgp(int(row["bgp_asn"]), line, max_paths=MAX_PATHS, relax=True)
        if row.get("type") == "ToRRouter":
            group = switch.bgp.group(GENERAL, line)
            group.allowas_in = group.allowas_in6 = 1
        switch.bgp.router_id = router_id_of(row.get("bgp_router_id", ""))
        if not row.get("type"):
            switch.no_sessions.append(absence("sonic", "device_type"))
    mode = row.get("docker_routing_config_mode", _OWN_FILES[0])
    if mode not in _OWN_FILES:
        words = f"docker_routing_config_mode {mode}: FRR has other files besides the database"
        switch.undecided.append(Leftover(line, words))


@READER.means("feature")
def _feature(switch: Configured, key: tuple[str, ...], row: Fields, _: int) -> None:
    if key == ("bgp",) and row.get("state") in ("disabled", "always_disabled"):
        switch.no_sessions.append(f"FEATURE|bgp.state is {row['state']}: there is no BGP")


@READER.means("device_global")
def _device_global(_: Configured, key: tuple[str, ...], row: Fields, __: int) -> None:
    if key != ("STATE",) or not row.items() <= _CARRIES_TRAFFIC.items():
        raise ValueError("the switch is kept away from traffic")
