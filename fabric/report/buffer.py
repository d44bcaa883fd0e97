"""show buffer: what the lossless ports of a switch take of its buffer, and what would still fit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from fabric.design.configured import headroom_state
from fabric.design.headroom_fit import law_bytes, longest_fit_m, with_setting
from fabric.design.pool import (
    computed_buffer,
    fixed_pool_bytes,
    headroom_pool_bytes,
    headroom_share_bytes,
    lossless_pool_bytes,
    lossless_share_bytes,
    shared_headroom_bytes,
)
from fabric.platforms import platforms
from fabric.qos.headroom.budget import Budget, budget, largest
from fabric.qos.headroom.computed import LOSSLESS_GROUPS, SHARED_HEADROOM
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabric.design.configured import HeadroomState
    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import HeadroomProfile


#: Largest frame that the inventory takes.
MAX_MTU_BYTES = 9216
_UNKNOWN = "unknown"
_HEADERS = tuple(
    (
        "switches first sku lossless_ports headroom_bytes shared_headroom_bytes over_subscription "
        "guaranteed_bytes pool_bytes buffer_bytes free_bytes ports_fit cable_m_fits mtu_bytes_fits"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Account:
    """The buffer of one switch with its lossless groups."""

    device: DeviceDesign
    groups: tuple[HeadroomProfile, ...]
    budget: Budget

    @property
    def worst(self) -> HeadroomProfile:
        """The group with the largest headroom: what more or longer cables would be like."""
        return max(self.groups, key=lambda group: group.headroom_bytes or 0)


def buffer(designs: Designs, only: Collection[str] | None = None) -> Table:
    """Return one row for all switches with the same model and the same lossless ports.

    ``free_bytes`` is what is left of the buffer beside the pools. `_of_fits` says what ``*_fits``
    are: by the law of the ASIC, all else as it is. Where the switch computes its shared pool,
    ``free_bytes`` is what it divides between that for lossless and that for lossy traffic, and the
    pools may shrink to nothing. Where a model keeps a share of its buffer for headroom,
    ``free_bytes`` and ``*_fits`` are about that share.
    """
    devices = alike(designs, only)
    rows = tuple(_row(device, count) for device, count in devices)
    return Table(_HEADERS, rows, hint=_hint([device for device, _ in devices]))


def _hint(devices: list[DeviceDesign]) -> str:
    """Return what the figures are about, which are estimates, and why pools are not known."""
    return ". ".join(filter(None, (_estimates(devices), _of_fits(devices), _of_pools(devices))))


def _of_fits(devices: list[DeviceDesign]) -> str:
    """Return which ports the last columns are about; empty where they have no figures."""
    if not any(_is_counted(device) for device in devices):
        return ""
    return (
        "The last columns say how far the ports with the largest headroom can grow, one value at "
        "a time: ports_fit is the number of lossless ports in all if ports like these are added, "
        "cable_m_fits the longest cable of these ports, mtu_bytes_fits their largest MTU"
    )


def _estimates(devices: list[DeviceDesign]) -> str:
    """Return of which models headroom_bytes is an estimate, as QOS050 says; empty without one."""
    guessed: dict[HeadroomState, list[DeviceDesign]] = {}
    for device in devices:
        groups = [one for one in device.lossless_groups if one.headroom_bytes and one.is_estimate]
        for state in {headroom_state(one, device.sku, device.role) for one in groups}:
            guessed.setdefault(state, []).append(device)
    by_law = "headroom_bytes is an estimate by the law of the ASIC for"
    return ". ".join(
        f"{by_law} {_models(those)}" + (f"; {state.lack}" if state.lack else f" ({state.rule})")
        for state, those in guessed.items()
    )


def _of_pools(devices: list[DeviceDesign]) -> str:
    without = [device for device in devices if lossless_pool_bytes(device) is None]
    if not without:
        return ""
    unchecked = [
        device for device in without if any(not one.levels for one in device.headroom_profiles)
    ]
    rules = "The rules about marking before the pause are not checked"
    rules = f" {rules} for {_models(unchecked)} (QOS002)." if unchecked else ""
    asked = [device for device in without if not lossless_share_bytes(device.sku)]
    simulated = f" `simulate` needs --buffer-mib for {_models(asked)}." if asked else ""
    return (
        f"pool_bytes is unknown for {_models(without)}: no public source says how the buffer is "
        f"divided into pools there.{_of_free(without)}{rules}{simulated}"
    ).removesuffix(".")


def _of_free(devices: list[DeviceDesign]) -> str:
    """Return what free_bytes is of switches without known pools; empty where it is not known."""
    counted = [device for device in devices if _is_counted(device)]
    parts = [device for device in counted if headroom_share_bytes(device.sku)]
    whole = [device for device in counted if device not in parts]
    words = ""
    if whole:
        words += f" free_bytes of {_names(whole)} is the whole buffer without the headroom."
    if parts:
        words += f" free_bytes of {_names(parts)} is what is left of the fixed part for headroom."
    return words


def _names(devices: list[DeviceDesign]) -> str:
    return ", ".join(dict.fromkeys(device.sku.name for device in devices))


def _models(devices: list[DeviceDesign]) -> str:
    names = (f"{device.sku.name} on {platforms[device.sku.nos].title}" for device in devices)
    return ", ".join(dict.fromkeys(names))


def buffer_of(device: DeviceDesign) -> list[tuple[str, str]]:
    """Return the row of one switch as names and values, without its name and model."""
    words = (f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in _row(device, 1))
    return [*zip(_HEADERS, words, strict=True)][3:]


def alike(designs: Designs, only: Collection[str] | None = None) -> list[tuple[DeviceDesign, int]]:
    """Return the first of all switches with one model and the same ports, and their number.

    ``only`` are names of switches; None is all of them.
    """
    number: Counter[tuple[object, ...]] = Counter()
    first: dict[tuple[object, ...], DeviceDesign] = {}
    for device in designs.devices.values():
        if only is not None and device.name not in only:
            continue
        groups = Counter(
            (id(port.headroom), port.enabled, len(port.lossless_groups)) for port in device.ports
        )
        key = (device.sku.name, device.headroom_over_subscription, *sorted(groups.items()))
        number[key] += 1
        first.setdefault(key, device)
    return [(device, number[key]) for key, device in first.items()]


def _row(device: DeviceDesign, switches: int) -> tuple[object, ...]:
    groups = device.lossless_groups
    known = tuple(group for group in groups if group.headroom_bytes is not None)
    size = device.sku.packet_buffer_bytes
    start = (switches, device.name, device.sku.name, device.lossless_ports)
    pool = _words(lossless_pool_bytes(device))
    promised = sum(group.headroom_bytes or 0 for group in known)
    shared = _shared_bytes(device)
    ratio = device.headroom_over_subscription or round(promised / shared, 2) if shared else "-"
    if not _is_counted(device) or size is None:
        shares = (shared, ratio) if shared and known else (_UNKNOWN, _UNKNOWN)
        return (*start, promised or _UNKNOWN, *shares, _UNKNOWN, pool, size or _UNKNOWN, *["-"] * 4)
    room = headroom_share_bytes(device.sku) or size
    account = _account(device, known, room)
    return (
        *start,
        promised,
        shared or "none",
        ratio,
        account.budget.guaranteed_bytes,
        pool,
        size,
        room - account.budget.need_bytes,
        *_fits(account),
    )


def _is_counted(device: DeviceDesign) -> bool:
    """Tell whether buffer and headroom of a switch are known, so that the rest is."""
    groups = device.lossless_groups
    has_headroom = any(group.headroom_bytes is not None for group in groups)
    return has_headroom and device.sku.packet_buffer_bytes is not None


def _shared_bytes(device: DeviceDesign) -> int:
    """Return the headroom that all ports share, or the pool that the switch is set to."""
    return shared_headroom_bytes(device) or headroom_pool_bytes(device.sku) or 0


def _words(pool_bytes: int | None) -> object:
    return _UNKNOWN if pool_bytes is None else pool_bytes or "none"


def _account(
    device: DeviceDesign, groups: tuple[HeadroomProfile, ...], buffer_bytes: int
) -> Account:
    shared = _shared_bytes(device)
    own = [0 if shared else group.headroom_bytes or 0 for group in groups]
    taken = budget(
        [group.guaranteed_bytes for group in groups],
        own,
        buffer_bytes,
        reserved_bytes=shared + _computed_reserve_bytes(device),
        shared_bytes=fixed_pool_bytes(device),
    )
    return Account(device, groups, taken)


def _computed_reserve_bytes(device: DeviceDesign) -> int:
    """Return what a switch that computes its pools keeps for all but its lossless groups."""
    computed = computed_buffer(device) if device.buffer_model == "dynamic" else None
    other = (LOSSLESS_GROUPS, SHARED_HEADROOM)
    parts = computed.parts if computed else ()
    return sum(part.amount_bytes for part in parts if part.name not in other)


def _room_bytes(account: Account, shared_bytes: int) -> int:
    """Return what headroom may take: a shared one, which grows where the switch computes it."""
    taken, ratio = account.budget, account.device.headroom_over_subscription
    if not shared_bytes:
        return taken.buffer_bytes - taken.shared_bytes - taken.reserved_bytes
    free_bytes = max(0, taken.buffer_bytes - taken.need_bytes)
    return (shared_bytes + free_bytes) * ratio if ratio else shared_bytes


def _fits(account: Account) -> tuple[object, object, object]:
    """Return how many ports, how long a cable and how large an MTU would fit."""
    worst, device = account.worst, account.device
    if worst.law is None:
        return (_UNKNOWN,) * 3
    shared = _shared_bytes(device)
    room = _room_bytes(account, shared)
    fixed = 0 if shared else account.budget.guaranteed_bytes
    same, others = with_setting(account.groups, worst.setting_m)
    rest = sum(group.headroom_bytes or 0 for group in others)
    mtu = int(worst.link.port_mtu_bytes)
    ports = _ports_fit(account, room, shared=bool(shared))
    if worst.set_bytes is not None:
        same, room, rest, fixed = [worst], worst.set_bytes, 0, 0
    cable = longest_fit_m(device.sku, same, mtu, room - rest - fixed)

    def fits(mtu_bytes: int) -> bool:
        need = law_bytes(device.sku, same, worst.setting_m, mtu_bytes)
        return fixed + rest + need <= room

    widest = min(MAX_MTU_BYTES, platforms[device.platform].port_mtu_bytes[1])
    frame = largest(fits, 64, widest)
    none = "none"
    return ports, none if cable is None else cable, none if frame is None else frame


def _ports_fit(account: Account, room_bytes: int, *, shared: bool) -> int:
    """Return how many lossless ports would fit, if more were like the worst one."""
    worst, device = account.worst, account.device
    own_bytes = [
        (group.headroom_bytes or 0) + (0 if shared else group.guaranteed_bytes)
        for group in account.groups
    ]
    alike = [group is worst for group in account.groups]
    others_bytes = sum(
        size for size, is_worst in zip(own_bytes, alike, strict=True) if not is_worst
    )
    if others_bytes > room_bytes:  # not even those: the smallest first
        fitting = sum(total <= room_bytes for total in accumulate(sorted(own_bytes)))
        return fitting * device.lossless_ports // len(own_bytes)
    groups = (room_bytes - others_bytes) // own_bytes[alike.index(True)]
    like_worst = sum(port.headroom is worst for port in device.ports)
    others = device.lossless_ports - like_worst
    return min(others + groups * like_worst // sum(alike), len(device.ports))
