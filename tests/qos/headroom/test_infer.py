"""The assumptions behind a table are found again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabric.platforms.asic_catalogue import asic
from fabric.platforms.catalogue import sku
from fabric.qos.headroom.infer import infer
from fabric.qos.headroom.laws import spectrum_settings
from fabric.qos.headroom.spectrum import spectrum
from fabric.qos.headroom.terms import Link

LENGTHS = (5.0, 40.0, 300.0)


def _figures(family: str, gearbox_ns: float = 0.0):
    settings = spectrum_settings(asic(family), gearbox_ns)
    return replace(settings, peer_response_bytes=asic(family).number("peer_response_bytes"))


@pytest.mark.parametrize(
    ("name", "family", "rows", "port", "lossless", "peer"),
    [
        ("ACS-MSN2700", "spectrum-1", 15, 9100, 1024, 3891.2),
        ("ACS-MSN4700", "spectrum-3", 21, 9216, 1024, 3891.2),
        ("ACS-SN5600", "spectrum-4", 24, 9216, 1024, None),
        ("ACS-SN6600_LD", "spectrum-6", 14, 9216, 4096, None),
    ],
)
def test_tables_of_nvidia(name, family, rows, port, lossless, peer) -> None:
    """Every row to the byte; the older ones give the peer less than IEEE 802.3 does."""
    table = sku(name).headroom
    speed, cable = (np.array([key[part] for key in table], float) for part in (0, 1))
    have = np.array([row.headroom_bytes for row in table.values()])
    result = infer(speed / 1000, cable, have, _figures(family))
    assert result.exact == len(table) == rows
    assert result.assumptions.port_mtu_bytes == port
    assert result.assumptions.lossless_mtu_bytes == lossless
    assert result.assumptions.settings.peer_response_bytes == peer


@pytest.mark.parametrize("percent", [50, 100])
@pytest.mark.parametrize("lossless", [1024, 4096])
@pytest.mark.parametrize("gearbox", [0.0, 400.0])
def test_finds_what_a_table_was_made_from(percent: int, lossless: int, gearbox: float) -> None:
    built = replace(
        _figures("spectrum-3", gearbox),
        small_packet_percent=percent,
        peer_response_bytes=None,
        compensate=False,
    )
    speed, cable = (grid.ravel() for grid in np.meshgrid((25.0, 100.0, 400.0), LENGTHS))
    have = spectrum(Link.of(speed, cable, 9216, lossless), built).headroom_bytes
    result = infer(speed, cable, have, _figures("spectrum-3", gearbox))
    assert result.exact == 9
    assert result.assumptions.lossless_mtu_bytes == lossless
    assert result.assumptions.settings.small_packet_percent == percent


def test_a_peer_at_800g_that_takes_as_long_as_at_400g() -> None:
    """Spectrum-6: only so do the rows of 800G come out; tables without such rows do not tell."""
    for name, family, late in (
        ("ACS-SN6600_LD", "spectrum-6", True),
        ("ACS-SN5600", "spectrum-4", False),
    ):
        table = sku(name).headroom
        speed, cable = (np.array([key[part] for key in table], float) for part in (0, 1))
        have = np.array([row.headroom_bytes for row in table.values()])
        assert (
            infer(speed / 1000, cable, have, _figures(family)).assumptions.settings.late_800g
            is late
        )


def test_long_rows_do_not_count() -> None:
    """Where a table leaves the formula, the rest still tells."""
    speed, cable = np.full(4, 100.0), np.array([5.0, 40.0, 300.0, 2000.0])
    have = spectrum(Link.of(speed, cable, 9216, 1024), _figures("spectrum-3")).headroom_bytes.copy()
    have[-1] //= 2
    result = infer(speed, cable, have, _figures("spectrum-3"))
    assert result.exact == result.counted.sum() == 3
    assert result.residual_bytes[-1] < 0
