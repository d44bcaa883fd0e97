"""Write the data files of the switch models again: ``make models``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.platforms.remake import others, sonic

SYSTEMS = Path(__file__).parents[3] / "fabric" / "systems"
_EDGECORE = "edge-core/sonic-buildimage"
#: Device folders of sonic-net/sonic-buildimage; with the family where no file of them tells it.
FOLDERS = {
    "accton/x86_64-accton_as7326_56x-r0/Accton-AS7326-56X": "",
    "accton/x86_64-accton_as7712_32x-r0/Accton-AS7712-32X": "",
    "accton/x86_64-accton_as7716_32x-r0/Accton-AS7716-32X": "",
    "accton/x86_64-accton_as7816_64x-r0/Accton-AS7816-64X": "",
    "arista/x86_64-arista_7050cx3_32c/Arista-7050CX3-32C-C32": "trident-3",
    "arista/x86_64-arista_7050cx3_32s/Arista-7050CX3-32S-C32": "trident-3",
    "arista/x86_64-arista_7050dx4_32s/Arista-7050DX4-32S": "",
    "arista/x86_64-arista_7050px4_32s/Arista-7050PX4-32S": "trident-4",
    "arista/x86_64-arista_7050sx3_48yc8/Arista-7050SX3-48YC8": "",
    "arista/x86_64-arista_7060_cx32s/Arista-7060CX-32S-C32": "",
    "arista/x86_64-arista_7060cx2_32s/Arista-7060CX2-32S-C32": "",
    "arista/x86_64-arista_7060dx4_32/Arista-7060DX4-32": "",
    "arista/x86_64-arista_7060dx5_32/Arista-7060DX5-32": "",
    "arista/x86_64-arista_7060dx5_64s/Arista-7060DX5-64S": "",
    "arista/x86_64-arista_7060px4_32/Arista-7060PX4-O32": "",
    "arista/x86_64-arista_7060px5_64s/Arista-7060PX5-64S": "",
    "arista/x86_64-arista_7060x6_32pe/Arista-7060X6-32PE": "",
    "arista/x86_64-arista_7060x6_64de/Arista-7060X6-64DE": "",
    "arista/x86_64-arista_7060x6_64pe/Arista-7060X6-64PE": "",
    "arista/x86_64-arista_7060x6_64pe/Arista-7060X6-64PE-O128": "",
    "arista/x86_64-arista_7260cx3_64/Arista-7260CX3-C64": "tomahawk-2",
    "arista/x86_64-arista_7280cr3_32d4/Arista-7280CR3-C32D4": "",
    "arista/x86_64-arista_7280cr3_32p4/Arista-7280CR3-C32P4": "",
    "celestica/x86_64-cel_ds2000-r0/DS2000": "",
    "celestica/x86_64-cel_ds3000-r0/DS3000": "",
    "celestica/x86_64-cel_seastone-r0/Celestica-DX010-C32": "tomahawk-1",
    "celestica/x86_64-cel_silverstone-r0/Silverstone": "",
    "celestica/x86_64-cel_silverstone_v2-r0/Silverstone_v2": "",
    "dell/x86_64-dell_z9100_c2538-r0/Force10-Z9100-C32": "",
    "dell/x86_64-dell_z9664f-r0/DellEMC-Z9664f-O64": "",
    "dell/x86_64-dell_z9864f-r0/Dell-Z9864f-O64": "",
    "dell/x86_64-dellemc_s5212f_c3538-r0/DellEMC-S5212f-P-25G": "",
    "dell/x86_64-dellemc_s5224f_c3538-r0/DellEMC-S5224f-P-25G": "",
    "dell/x86_64-dellemc_s5232f_c3538-r0/DellEMC-S5232f-C32": "",
    "dell/x86_64-dellemc_s5248f_c3538-r0/DellEMC-S5248f-P-25G": "",
    "dell/x86_64-dellemc_s5296f_c3538-r0/DellEMC-S5296f-P-25G": "",
    "dell/x86_64-dellemc_z9264f_c3538-r0/DellEMC-Z9264f-C64": "",
    "dell/x86_64-dellemc_z9332f_d1508-r0/DellEMC-Z9332f-O32": "",
    "dell/x86_64-dellemc_z9432f_c3758-r0/DellEMC-Z9432f-O32": "",
    "juniper/x86_64-juniper_qfx5200-r0/Juniper-QFX5200-32C-S": "",
    "juniper/x86_64-juniper_qfx5210-r0/Juniper-QFX5210-64C": "",
    "mellanox/x86_64-mlnx_msn2010-r0/ACS-MSN2010": "",
    "mellanox/x86_64-mlnx_msn2100-r0/ACS-MSN2100": "",
    "mellanox/x86_64-mlnx_msn2410-r0/ACS-MSN2410": "",
    "mellanox/x86_64-mlnx_msn2700-r0/ACS-MSN2700": "",
    "mellanox/x86_64-mlnx_msn2700-r0/Mellanox-SN2700": "",
    "mellanox/x86_64-mlnx_msn2700-r0/Mellanox-SN2700-D48C8": "",
    "mellanox/x86_64-mlnx_msn2740-r0/ACS-MSN2740": "",
    "mellanox/x86_64-mlnx_msn3420-r0/ACS-MSN3420": "",
    "mellanox/x86_64-mlnx_msn3700-r0/ACS-MSN3700": "",
    "mellanox/x86_64-mlnx_msn3700c-r0/ACS-MSN3700C": "",
    "mellanox/x86_64-mlnx_msn3800-r0/ACS-MSN3800": "",
    "mellanox/x86_64-mlnx_msn3800-r0/Mellanox-SN3800-C64": "",
    "mellanox/x86_64-mlnx_msn3800-r0/Mellanox-SN3800-D112C8": "",
    "mellanox/x86_64-mlnx_msn4410-r0/ACS-MSN4410": "",
    "mellanox/x86_64-mlnx_msn4600-r0/ACS-MSN4600": "",
    "mellanox/x86_64-mlnx_msn4600c-r0/ACS-MSN4600C": "",
    "mellanox/x86_64-mlnx_msn4600c-r0/Mellanox-SN4600C-C64": "",
    "mellanox/x86_64-mlnx_msn4600c-r0/Mellanox-SN4600C-D112C8": "",
    "mellanox/x86_64-mlnx_msn4700-r0/ACS-MSN4700": "",
    "mellanox/x86_64-mlnx_msn4700-r0/Mellanox-SN4700-C128": "",
    "mellanox/x86_64-mlnx_msn4700-r0/Mellanox-SN4700-O32": "",
    "mellanox/x86_64-mlnx_msn4700-r0/Mellanox-SN4700-V64": "",
    "mellanox/x86_64-nvidia_sn5400-r0/ACS-SN5400": "",
    "mellanox/x86_64-nvidia_sn5600-r0/ACS-SN5600": "",
    "mellanox/x86_64-nvidia_sn5600-r0/Mellanox-SN5600-O128": "",
    "mellanox/x86_64-nvidia_sn5600-r0/Mellanox-SN5600-V256": "",
    "mellanox/x86_64-nvidia_sn5640-r0/Mellanox-SN5640-C512S2": "",
    "mellanox/x86_64-nvidia_sn5640-r0/Mellanox-SN5640-C448O16": "",
    "mellanox/x86_64-nvidia_sn5640-r0/Mellanox-SN5640-C512X2": "",
    "mellanox/x86_64-nvidia_sn5640-r0/Mellanox-SN5640-O128X2": "",
    "mellanox/x86_64-nvidia_sn6600_ld-r0/ACS-SN6600_LD": "",
    "mellanox/x86_64-nvidia_sn6810_ld-r0/ACS-SN6810_LD": "",
    "micas/x86_64-micas_m2-w6940-128x1-fr4-r0/M2-W6940-64X1-FR4": "",
    "nexthop/x86_64-nexthop_4010-r1/NH-4010": "tomahawk-5",
    "nexthop/x86_64-nexthop_4210-r0021/NH-4210-F-P128": "tomahawk-6",
    "nokia/x86_64-nokia_ixr7220_d4-r0/Nokia-IXR7220-D4-36D": "",
    "nokia/x86_64-nokia_ixr7220_h4-r0/Nokia-IXR7220-H4-64D": "tomahawk-4",
    "nokia/x86_64-nokia_ixr7220_h4_32d-r0/Nokia-IXR7220-H4-32D": "tomahawk-4",
    "nokia/x86_64-nokia_ixr7220_h5_32d-r0/Nokia-IXR7220-H5-32D": "tomahawk-5",
    "nokia/x86_64-nokia_ixr7220_h5_64d-r0/Nokia-IXR7220-H5-64D": "tomahawk-5",
    "nokia/x86_64-nokia_ixr7220_h5_64o-r0/Nokia-IXR7220-H5-64O": "tomahawk-5",
    "nokia/x86_64-nokia_ixr7220_h6_128-r0/Nokia-IXR7220-H6-P128": "tomahawk-6",
}
#: Switches with a gearbox, by their folder.
_GEARBOX = {"x86_64-mlnx_msn3800-r0": "400 # platform/mellanox/peripheral_table.j2"}
#: Device folders of edge-core/sonic-buildimage, with the commit that has them.
EDGECORE = {
    "accton/x86_64-accton_as7726_32x-r0/Accton-AS7726-32X": "aeef115d0295",
    "accton/x86_64-accton_as9716_32d-r0/Accton-AS9716-32D": "aeef115d0295",
    "accton/x86_64-accton_as9726_32d-r0/Accton-AS9726-32D": "aeef115d0295",
    "accton/x86_64-accton_as9736_64d-r0/Accton-AS9736-64D": "aeef115d0295",
    "accton/x86_64-accton_as9817_64o-r0/Accton-AS9817-64O": "897c520975e6",
}


def files(
    image: Path | None, edgecore: Path | None, hedgehog: Path | None
) -> Iterator[tuple[Path, str]]:
    """Yield path and text of every data file that can be made from the copies at hand.

    Parameters
    ----------
    image, edgecore, hedgehog : Path or None
        Copies of sonic-net/sonic-buildimage, edge-core/sonic-buildimage and githedgehog/fabric.
    """
    for folder, family in FOLDERS.items() if image else ():
        assert image is not None
        name = folder.rpartition("/")[2]
        gearbox = _GEARBOX.get(folder.split("/")[1], "")
        content = sonic.file_text(
            image / "device", folder, sonic.BUILDIMAGE, family=family, gearbox=gearbox
        )
        yield SYSTEMS / "sonic" / "skus" / f"{name}.toml", content
    for folder, commit in EDGECORE.items() if edgecore else ():
        assert edgecore is not None
        content = sonic.file_text(edgecore / "device", folder, f"{_EDGECORE} {commit}")
        yield SYSTEMS / "sonic" / "skus" / f"{folder.rpartition('/')[2]}.toml", content
    for system, name, content in others.files(image, hedgehog):
        yield SYSTEMS / system / "skus" / f"{name}.toml", content


def main() -> None:
    """Write the files; what comes from a repository that is not named stays as it is."""
    folders = [Path(word) if word else None for word in (*sys.argv[1:], "", "", "")[:3]]
    for path, content in files(*folders):
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
