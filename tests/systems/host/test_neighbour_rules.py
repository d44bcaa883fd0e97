"""The rule about the neighbour table of a host, where a subnet has more NICs than it holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from fabric.design.designs import Designs
from fabric.design.host import GC_THRESH1_FLOOR
from fabric.systems.host.rules.neighbours import NeighbourTable
from fabric.validate.world import model_of

EXAMPLE = Path(__file__).parents[3] / "inventory" / "rail-only" / "fabric.yaml"
RAILS, HOSTS_OF_UNIT = 8, 32


@pytest.mark.parametrize(("units", "found"), [(4, 0), (5, 160)])
def test_every_host_whose_table_is_too_small_is_found(
    units: int, found: int, tmp_path: Path
) -> None:
    data = yaml.safe_load(EXAMPLE.read_text())
    data["units"] = [{"name": f"su{n}", "hosts": f"su{n}gpu[01-32]"} for n in range(units)]
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    model = model_of(Designs(tmp_path))
    together = np.zeros(units * HOSTS_OF_UNIT * RAILS, dtype=np.int64)  # which no inventory says
    model = replace(
        model, fabric=replace(model.fabric, nics=replace(model.fabric.nics, subnet=together))
    )
    findings = list(NeighbourTable("HST005").check(model))
    assert [finding.device for finding in findings] == list(model.fabric.hosts.names[:found])
    need, limit = RAILS * len(together), 2 * GC_THRESH1_FLOOR
    message = f"{need:,} neighbours are expected, gc_thresh2 is {limit}"
    assert {finding.message for finding in findings} <= {message}
    assert (need > limit) is (found > 0)
