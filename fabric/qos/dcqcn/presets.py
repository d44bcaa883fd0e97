"""Parameter sets that others have published, each with the thresholds that it was published with.

Our own are computed: :mod:`fabric.qos.dcqcn.recommend`.
"""

from __future__ import annotations

from dataclasses import replace

from fabric.qos.dcqcn.parameters import (
    CongestionPoint,
    NotificationPoint,
    ParameterSet,
    ReactionPoint,
)

PAPER = ParameterSet(
    name="paper",
    reaction_point=ReactionPoint(
        alpha_gain_1024ths=4,
        alpha_period_us=55,
        initial_alpha_1024ths=1024,
        cut_period_us=50,
        timer_us=55,
        byte_counter_bytes=10_000_000,
        recovery_steps=5,
        additive_mbps=40,
        hyper_mbps=400,
    ),
    notification_point=NotificationPoint(cnp_interval_us=50),
    congestion_point=CongestionPoint(kmin_bytes=5_000, kmax_bytes=200_000, pmax_percent=1),
    source="Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015",
    note="Reasoned for 40 Gb/s. The paper gives no hyper increase: 400 Mb/s is unconfirmed. The "
    "byte counter of 10 MB does not fit the register of ConnectX.",
)

#: The byte counter is read in units of 64 bytes here; see the note of RPG_BYTE_RESET in
#: :mod:`fabric.qos.dcqcn.registers`.
CONNECTX = ParameterSet(
    name="connectx",
    reaction_point=ReactionPoint(
        alpha_gain_1024ths=5,
        alpha_period_us=1,
        initial_alpha_1024ths=1023,
        cut_period_us=4,
        timer_us=300,
        byte_counter_bytes=32_767 * 64,
        recovery_steps=1,
        additive_mbps=5,
        hyper_mbps=50,
    ),
    notification_point=NotificationPoint(cnp_interval_us=4),
    congestion_point=CongestionPoint(kmin_bytes=150_000, kmax_bytes=1_500_000, pmax_percent=100),
    source="Defaults of ConnectX-4 to -6: NVIDIA DOCA SDK documentation, DCQCN CC Parameters, and "
    "public listings of mlxconfig query; thresholds of NVIDIA's RoCE mode: Onyx 3.10 manual, and "
    "Cumulus Linux nv set qos roce",
    note="Firmware may differ: read the device first. One CNP interval of 4 us spans four alpha "
    "periods, so the fluid model says more of alpha than the NIC reaches.",
)

HPCC_FAST = ParameterSet(
    name="hpcc-dcqcn",
    reaction_point=ReactionPoint(
        alpha_gain_1024ths=4,
        alpha_period_us=1,
        initial_alpha_1024ths=1024,
        cut_period_us=4,
        timer_us=300,
        byte_counter_bytes=0,
        recovery_steps=1,
        additive_mbps=20,
        hyper_mbps=200,
        min_rate_mbps=1_000,
    ),
    notification_point=NotificationPoint(cnp_interval_us=4),
    congestion_point=CongestionPoint(kmin_bytes=400_000, kmax_bytes=1_600_000, pmax_percent=20),
    source="alibaba-edu/High-Precision-Congestion-Control simulation/run.py at 08d4ba0b, dcqcn, "
    "100 Gb/s",
    note="A simulation: its senders have no byte counter. Its thresholds grow with the speed, 4 "
    "and 16 KB for each Gb/s.",
)

HPCC_PAPER = replace(
    HPCC_FAST,
    name="hpcc-dcqcn-paper",
    reaction_point=replace(
        HPCC_FAST.reaction_point, alpha_period_us=50, cut_period_us=50, timer_us=55
    ),
    notification_point=NotificationPoint(cnp_interval_us=50),
    source="alibaba-edu/High-Precision-Congestion-Control simulation/run.py at 08d4ba0b, "
    "dcqcn_paper, 100 Gb/s",
    note="A simulation: its senders have no byte counter, and one recovery step instead of five.",
)

PUBLISHED = (PAPER, CONNECTX, HPCC_FAST, HPCC_PAPER)
