"""NICs that others set, against their leaf ports: 12 sound pairs, and 120 mistakes of one value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.core.findings import Finding
from fabric.placement.k8s.cluster import Cluster
from fabric.placement.k8s.nics import nic_settings
from fabric.workflow.audit import audit
from fabric.workflow.nic_profiles import check_profiles
from fabric.workflow.project import Project
from fabric.workflow.site import check_projects, projects_in
from fabric.workflow.work import Work
from tests.audit.nic_texts import MISTAKES, TEMPLATE, Mistake, filled, texts
from tests.change.labs import INVENTORY, NXOS, of_models

#: Inventory of each system, and the traffic class of CNPs that it needs.
SYSTEMS = {
    "sonic": (INVENTORY, 6),
    "cumulus": (of_models({"ACS-MSN4700": "SN4700", "7060X6-64PE": "SN4700"}), 6),
    "eos": (of_models({"ACS-MSN4700": "7060X6-64PE"}), 6),
    "nxos": (NXOS, 7),
}
MAKERS = ("mlx5", "bnxt", "ionic")
POLICY = """\
apiVersion: mellanox.com/v1alpha1
kind: NicClusterPolicy
metadata: {{name: nic-cluster-policy}}
spec:
  nicConfigurationOperator:
    operator: {{image: operator, repository: nvcr.io, version: network-operator-v{release}.0}}
"""


@pytest.fixture(scope="module", params=SYSTEMS)
def leaf(request, tmp_path_factory) -> Iterator[tuple[Project, Path, int]]:
    """Return an inventory with one leaf, a folder with the leaf's file, and the class of CNPs."""
    text, cnp = SYSTEMS[request.param]
    folder, files = tmp_path_factory.mktemp("inventory"), tmp_path_factory.mktemp("backups")
    (folder / "fabric.yaml").write_text(text, encoding="utf-8")
    project = Project(folder)
    for name, artefacts in project.switch_files(["su1-rail0"]).items():
        main = max(artefacts, key=lambda item: len(item.text))
        (files / f"{name}{Path(main.path).suffix}").write_text(main.text, encoding="utf-8")
    return project, files, cnp


def written(folder: Path, maker: str, cnp: int, mistake: Mistake | None = None) -> list[Path]:
    """Write the files of a NIC of host gpu1, with a mistake; return them."""
    host = folder / "gpu1"
    host.mkdir(exist_ok=True)
    for old in host.iterdir():
        old.unlink()
    files = []
    for name, text in texts(maker, cnp).items():
        content = text
        if mistake and mistake.file == name:
            right = re.sub(r"\bCNP$", str(cnp), mistake.right)
            assert right in text, (name, right)
            content = text.replace(right, mistake.wrong)
        (host / name).write_text(content, encoding="utf-8")
        files.append(host / name)
    return files


def planned(leaf: tuple[Project, Path, int], maker: str, mistake: Mistake | None = None):
    """Return what the check says of a NIC."""
    project, folder, cnp = leaf
    return check_profiles(project, written(folder, maker, cnp, mistake)).findings


def running(leaf: tuple[Project, Path, int], maker: str, mistake: Mistake | None = None):
    """Return what the audit says of a NIC and its port."""
    _, folder, cnp = leaf
    written(folder, maker, cnp, mistake)
    outcome = audit([folder], pairs=True).outcome
    return [finding for finding in outcome.findings if finding.rule.startswith("NIC")]


def test_sound_pairs_have_no_findings(leaf) -> None:
    for maker in MAKERS:
        assert list(planned(leaf, maker)) == []
        assert running(leaf, maker) == []


def test_every_mistake_of_one_value_is_reported(leaf) -> None:
    missing = []
    for mistake in MISTAKES:
        ways = [(planned, "fabric.yaml")]
        ways += [] if mistake.planned else [(running, "su1-rail0")]
        for judge, there in ways:
            findings = judge(leaf, mistake.maker, mistake)
            if not has(findings, mistake, there):
                missing.append((mistake, judge.__name__, [str(item) for item in findings]))
    assert missing == []


def has(findings: list[Finding], mistake: Mistake, there: str) -> bool:
    """Tell whether a finding names the rule and both places: of the NIC, and of the leaf."""
    return any(
        item.rule == mistake.rule
        and item.position is not None
        and item.position.file.endswith(mistake.file)
        and item.position.line > 0
        and there in item.message
        for item in findings
    )


def test_there_are_as_many_mistakes_as_promised() -> None:
    assert len(MISTAKES) * len(SYSTEMS) == 120
    assert {mistake.maker for mistake in MISTAKES} == set(MAKERS)


DEFAULTS = TEMPLATE[: TEMPLATE.index("    rawNvConfig")]


def tiny(folder: Path, nic: str = "", ecmp: str = "hash") -> Project:
    """Return the inventory of one host, with facts of its NIC and a way of balancing."""
    folder.mkdir(exist_ok=True)
    text = INVENTORY.replace("rdma_devices: mlx5_1}", f"rdma_devices: mlx5_1, nic: {{{nic}}}}}")
    text = text.replace("arp: ", f"ecmp: {{mode: {ecmp}}}\narp: ")
    (folder / "fabric.yaml").write_text(text, encoding="utf-8")
    return Project(folder)


def rules(project: Project, folder: Path, **files: str) -> dict[str, str]:
    """Return the message of each rule about some files."""
    paths = []
    for name, text in files.items():
        paths.append(folder / f"{name}.yaml")
        paths[-1].write_text(text, encoding="utf-8")
    findings = check_profiles(project, paths).findings
    return {finding.rule: finding.message for finding in findings}


def test_an_upgrade_of_the_operator_names_the_queue_that_changes(tmp_path: Path) -> None:
    project = tiny(tmp_path / "inventory")
    before = rules(project, tmp_path, nics=DEFAULTS, policy=POLICY.format(release="26.7"))
    after = rules(project, tmp_path, nics=DEFAULTS, policy=POLICY.format(release="26.10"))
    unknown = rules(project, tmp_path, nics=DEFAULTS)
    assert before.keys() == {"NIC005", "NIC014"}
    assert "queue 0; that of CNPs is 6" in before["NIC005"]
    assert "from queue 0 to queue 6" in before["NIC014"]
    assert after == {}
    assert unknown.keys() == {"NIC014"}
    assert "4 up to release 26.7, 48 from 26.10 on" in unknown["NIC014"]


def test_the_inventory_may_name_the_release(tmp_path: Path) -> None:
    project = tiny(tmp_path / "inventory")
    file = tmp_path / "inventory" / "fabric.yaml"
    version = "kubernetes: {operator_version: network-operator-v26.10.0}\n"
    file.write_text(file.read_text(encoding="utf-8") + version, encoding="utf-8")
    assert rules(Project(tmp_path / "inventory"), tmp_path, nics=DEFAULTS) == {}
    assert rules(project, tmp_path, nics=DEFAULTS).keys() == {"NIC014"}


def test_a_raw_setting_decides_whatever_the_release(tmp_path: Path) -> None:
    project = tiny(tmp_path / "inventory")
    for release in ("26.7", "26.10"):
        policy = POLICY.format(release=release)
        assert rules(project, tmp_path, nics=filled(TEMPLATE, 6), policy=policy) == {}


def test_raw_settings_next_to_a_spectrum_x_profile(tmp_path: Path) -> None:
    project = tiny(tmp_path / "inventory")
    start, end = TEMPLATE.index("    roceOptimized"), TEMPLATE.index("    rawNvConfig")
    spectrum = "    spectrumXOptimized: {enabled: true, version: RA2.2}\n"
    both = filled(TEMPLATE[:start] + spectrum + TEMPLATE[end:], 6)
    assert rules(project, tmp_path, nics=both).keys() == {"NIC015"}
    policy = POLICY.format(release="26.7")
    outcome = rules(project, tmp_path, nics=both, policy=policy)
    assert "release 26.7 takes and release 26.10 rejects" in outcome["NIC015"]
    alone = TEMPLATE[:start] + spectrum
    assert rules(project, tmp_path, nics=alone, policy=policy) == {}


def test_a_nic_that_waits_for_order_behind_switches_that_spray(tmp_path: Path) -> None:
    raw = '    - {name: ROCE_ADAPTIVE_ROUTING_EN, value: "0"}\n'
    text = filled(TEMPLATE, 6) + raw
    sprayed = tiny(tmp_path / "sprayed", ecmp="per-packet")
    assert rules(sprayed, tmp_path, nics=text).keys() == {"NIC010"}
    assert rules(sprayed, tmp_path, nics=text.replace(raw, raw.replace("0", "1"))) == {}
    assert rules(tiny(tmp_path / "hashed"), tmp_path, nics=text) == {}


def test_an_algorithm_that_the_thresholds_are_not_for(tmp_path: Path) -> None:
    raw = '    - {name: USER_PROGRAMMABLE_CC, value: "1"}\n'
    text = filled(TEMPLATE, 6) + raw
    assert rules(tiny(tmp_path / "any"), tmp_path, nics=text) == {}
    computed = tiny(tmp_path / "computed", nic="dcqcn_set: connectx")
    assert rules(computed, tmp_path, nics=text).keys() == {"NIC011"}


def test_a_longer_mtu_than_the_leaf_port(tmp_path: Path) -> None:
    policy = """\
apiVersion: sriovnetwork.openshift.io/v1
kind: SriovNetworkNodePolicy
metadata: {name: rail0}
spec: {nicSelector: {vendor: "15b3"}, mtu: 9500}
"""
    project = tiny(tmp_path / "inventory")
    assert rules(project, tmp_path, nics=policy).keys() == {"NIC012"}
    assert rules(project, tmp_path, nics=policy.replace("9500", "9000")) == {}


def test_a_profile_of_a_nic_that_is_not_there(tmp_path: Path) -> None:
    project = tiny(tmp_path / "inventory")
    call = "bnxt_setupcc.sh -d bnxt_re0 -i eth9 -m 3 -r 4 -s 26\n"
    assert rules(project, tmp_path, nics=call).keys() == {"NIC016"}


def test_two_releases_in_one_call_are_rejected(tmp_path: Path) -> None:
    project = tiny(tmp_path / "inventory")
    old, new = (POLICY.format(release=name) for name in ("26.7", "26.10"))
    with pytest.raises(InputError, match="was not read") as caught:
        rules(project, tmp_path, old=old, new=new)
    assert "releases 26.7, 26.10" in caught.value.findings[0].message


def test_every_wrong_file_of_a_call_is_named(tmp_path: Path) -> None:
    project = tiny(tmp_path / "inventory")
    with pytest.raises(InputError) as caught:
        rules(project, tmp_path, first="x\n", second="y\n", third=filled(TEMPLATE, 6))
    files = [Path(item.position.file).name for item in caught.value.findings if item.position]
    assert files == ["first.yaml", "second.yaml"]


def test_settings_that_rocefab_writes_fit(tmp_path: Path) -> None:
    """The scripts for hosts of two makers, and the objects for the operator."""
    for driver, vendor in (("bnxt", "broadcom"), ("ionic", "amd")):
        project = tiny(tmp_path / driver, nic=f"vendor: {vendor}, driver: {driver}")
        files = project.host_files(["gpu1"])["gpu1"]
        script = next(item.text for item in files if item.kind == "apply-script")
        assert rules(project, tmp_path, script=script) == {}
    project = tiny(tmp_path / "mlx5", nic="model: ConnectX-7, pci_addresses: ['0000:18:00.0']")
    objects = nic_settings(Cluster(project.fabric, project.fabric.hosts.names))
    text = "---\n".join(item.file("nic-settings").text for item in objects)
    for release in ("26.7", "26.10"):
        policy = POLICY.format(release=release)
        assert rules(project, tmp_path, nics=text, policy=policy) == {}


def test_a_folder_stands_for_the_profiles_in_it(tmp_path: Path) -> None:
    project = tiny(tmp_path / "inventory")
    host = tmp_path / "saved" / "gpu1"
    host.mkdir(parents=True)
    for name, text in texts("mlx5", 6).items():
        (host / name).write_text(text.replace("cableLen: 30", "cableLen: 3"), encoding="utf-8")
    (host / "ibdev2netdev.txt").write_text("mlx5_1 port 1 ==> eth1 (Up)\n", encoding="utf-8")
    findings = check_profiles(project, [tmp_path / "saved"]).findings
    assert {finding.rule for finding in findings} == {"NIC008"}
    (host / "notes.txt").write_text("call Bob\n", encoding="utf-8")
    with pytest.raises(InputError):
        check_profiles(project, [tmp_path / "saved"])


def test_a_waiver_of_a_pair(tmp_path: Path) -> None:
    folder = tmp_path / "inventory"
    tiny(folder)
    waiver = "waivers:\n  - {rule: NIC014, reason: the upgrade is planned, until: 2999-12-31}\n"
    with (folder / "fabric.yaml").open("a", encoding="utf-8") as file:
        file.write(waiver.replace("2999-12-31", '"2999-12-31"'))
    profile = tmp_path / "nics.yaml"
    profile.write_text(DEFAULTS, encoding="utf-8")
    outcome = check_projects(projects_in(folder, Work()), [], [profile])
    assert [item.finding.rule for item in outcome.waived] == ["NIC014"]
    left = [str(one) for one in outcome.findings if one.rule in ("NIC014", "WVR002")]
    assert left == []
