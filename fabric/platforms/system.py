"""What a switch system is: titles, limits and defaults."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - read at run time by the models of data files
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.platforms.asic import Asic
    from fabric.platforms.refresh import NeighbourRefresh


@dataclass(frozen=True, slots=True)
class EcmpHash:
    """How the switches of a role choose between equal next hops.

    Parameters
    ----------
    algorithm : str
        Name as in SAI, such as ``CRC``.
    fields : frozenset of str
        Header fields that are hashed.
    offset : int
        First bit of the hash that is used.
    """

    algorithm: str
    fields: frozenset[str]
    seed: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Reserve:
    """A share of every port that is set aside, before the inventory's shares divide the rest.

    Parameters
    ----------
    traffic : str
        Whose it is, in words.
    percent : int
        Of the port.
    queue : int or None
        Where this queue is one of the inventory's, nothing is set aside; None is always.
    """

    traffic: str
    percent: int
    queue: int | None = None


@dataclass(frozen=True, slots=True)
class Platform:
    """One network operating system.

    Parameters
    ----------
    name : str
        Short name; also the folder of its templates.
    title : str
        Name as its maker writes it.
    artefact : str
        File name of the main artefact.
    port_mtu_bytes : tuple of int
        Smallest and largest port MTU.
    fixed_mac_ageing_s : int or None
        MAC ageing when the system has no knob for it.
    default_mac_ageing_s : int
        MAC ageing that is set where the inventory says none: that of the system, or one that fits.
    neighbour_refresh : NeighbourRefresh
        What keeps the MAC address of a silent NIC known.
    watchdog_ms : dict
        Allowed (low, high) for ``detection``, ``restoration``, and for ``poll`` where the system
        can set how often it polls.
    watchdog_unit_known : bool
        Whether a public source has the unit of these times.
    source : str
        Where these facts come from.
    grade : {"stable", "beta", "experimental"}
        How far rocefab goes with it; what is not stable says so wherever it is used.
    default_port : int
        Where its management listens when the connections file says nothing.
    rule_prefix : str
        Beginning of the ids of the rules that speak of this platform alone.
    announces_alias : bool
        Whether LLDP tells the alias of a port in place of its name.
    explicit_rs_fec_from_gbps : int or None
        Speed from which on Reed-Solomon FEC must be asked for; None where the system does it.
    reads_pfc : bool
        Whether its parser reads the paused priorities of a port.
    ecmp_hash : mapping of role to EcmpHash
        How it hashes as rocefab configures it; empty where that is not known.
    own_seed : str
        How a switch draws the seed of its hash by itself, and which command of the switch sets it;
        empty where that is not known.
    beside : tuple of str
        Names of files that `render` writes beside ``artefact`` and that are no configuration of
        their own, such as what it removes.
    description_space : str
        What stands for a space in the description of a port.
    verb : str
        What stands before each line of a whole configuration, such as ``set``; empty for most.
    speed_words : {"", "plain", "lanes"}
        How a model says its speeds in words: not at all, as ``400g``, or with lanes as ``400g-4``.
    queue_word : callable or None
        From an ASIC family to the word that opens a queue, where the system has several.
    sku_tables : tuple of str
        Files of a switch that a model of the user's own may name, by their fields in the inventory.
    reserves : tuple of Reserve
        Shares of each port that rocefab sets aside on it.
    shares_buffer : bool
        Whether a model must say how its packet buffer is shared out.
    releases : tuple of str
        Releases, or trains of them, whose differences rocefab knows; empty where it knows none.
    of_one_release : callable, optional
        Tells whether other releases that rocefab knows spell a line in another way.
    watchdog_polls : int
        Least number of polls in the shorter of the watchdog's two times.
    release_watchdog_ms : mapping
        What ``watchdog_ms`` is on single releases; elsewhere it is what all of them take.
    management_vrf : str
        VRF of the management port in a configuration from the box; empty for the default VRF.
    fixed_vrf : bool
        Whether the system names that VRF, and not ``management.vrf``.
    servers_in_vrf : bool
        Whether NTP and syslog always use ``management_vrf``.
    evpn_sessions : {"", "underlay", "loopback"}
        Which BGP sessions carry EVPN; empty where rocefab has no EVPN for it.
    own_vtep : bool
        Whether the tunnel end point needs a loopback of its own.
    vni_vlan : bool
        Whether a VNI of a VRF needs a VLAN behind it.
    cable_lengths_m : tuple of int
        Lengths that the headroom of a port can be set for, ascending; empty where any length can.
    one_cable_length : bool
        Whether one length is set for all lossless ports of a switch: the longest of their cables.
    """

    name: str
    title: str
    artefact: str
    port_mtu_bytes: tuple[int, int]
    fixed_mac_ageing_s: int | None
    default_mac_ageing_s: int
    neighbour_refresh: NeighbourRefresh
    watchdog_ms: dict[str, tuple[int, int]]
    source: str
    grade: Literal["stable", "beta", "experimental"] = "stable"
    default_port: int = 22
    rule_prefix: str = ""
    announces_alias: bool = False
    explicit_rs_fec_from_gbps: int | None = None
    reads_pfc: bool = False
    ecmp_hash: Mapping[str, EcmpHash] = field(default_factory=dict)
    own_seed: str = ""
    beside: tuple[str, ...] = ()
    description_space: str = " "
    verb: str = ""
    speed_words: Literal["", "plain", "lanes"] = ""
    queue_word: Callable[[Asic], str] | None = None
    of_one_release: Callable[[str], bool] | None = None
    sku_tables: tuple[str, ...] = ()
    reserves: tuple[Reserve, ...] = ()
    shares_buffer: bool = False
    releases: tuple[str, ...] = ()
    watchdog_polls: int = 1
    watchdog_unit_known: bool = True
    release_watchdog_ms: Mapping[str, Mapping[str, tuple[int, int]]] = field(default_factory=dict)
    management_vrf: str = ""
    fixed_vrf: bool = False
    servers_in_vrf: bool = False
    evpn_sessions: Literal["", "underlay", "loopback"] = ""
    own_vtep: bool = False
    vni_vlan: bool = False
    cable_lengths_m: tuple[int, ...] = ()
    one_cable_length: bool = False

    def cable_setting_m(self, cable_m: int, longest_m: int) -> int:
        """Return the length that the headroom of a port is set for.

        Parameters
        ----------
        cable_m, longest_m : int
            Length of the cable of this port, and of the longest lossless cable of the switch.
        """
        least_m = longest_m if self.one_cable_length else cable_m
        return next((length for length in self.cable_lengths_m if length >= least_m), least_m)

    def vrf(self, named: str) -> str:
        """Return the VRF of the management port where ``management.vrf`` has a name, or none."""
        is_named = named and self.management_vrf and not self.fixed_vrf
        return named if is_named else self.management_vrf

    def server_vrf(self, named: str) -> str:
        """Return the VRF in which NTP and syslog look for their servers; empty for the default."""
        return self.vrf(named) if named or self.servers_in_vrf else ""

    def knows(self, release: str) -> bool:
        """Tell whether a release is one of ``releases``, or of their trains: 5.14.1 is of 5.14."""
        return self.train(release) in self.releases

    def train(self, release: str) -> str:
        """Return the one of ``releases`` that a release is of: 5.14 of 5.14.1; else itself."""
        of = (known for known in self.releases if f"{release}.".startswith(f"{known}."))
        return next(of, release)

    @property
    def polls(self) -> bool:
        """Whether the poll interval of the watchdog can be set."""
        return "poll" in self.watchdog_ms

    def watchdog_range_ms(self, release: str) -> dict[str, tuple[int, int]]:
        """Return the allowed (low, high) of the watchdog times; ``release`` may be empty."""
        return {**self.watchdog_ms, **self.release_watchdog_ms.get(self.train(release), {})}
