#!/bin/sh
# Written by rocefab from the inventory; run it next to the machinefile.
exec mpiexec.hydra -machinefile machinefile -n 16 -iface eth0 \
  -genv NCCL_SOCKET_IFNAME =eth0 \
  -genv NCCL_IB_HCA =mlx5_1,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7,mlx5_8 \
  -genv NCCL_IB_TIMEOUT 22 \
  -genv NCCL_IB_QPS_PER_CONNECTION 8 \
  -genv NCCL_IB_ROCE_VERSION_NUM 2 \
  -genv NCCL_IB_ADDR_FAMILY AF_INET \
  -genv NCCL_IB_ADDR_RANGE 25.11.128.0/24 \
  -genv NCCL_IB_TC 104 \
  -genv NCCL_CROSS_NIC 2 \
  -genv UCX_NET_DEVICES mlx5_1:1,mlx5_2:1,mlx5_3:1,mlx5_4:1,mlx5_5:1,mlx5_6:1,mlx5_7:1,mlx5_8:1 \
  -genv UCX_IB_TRAFFIC_CLASS 104 \
  -genv GLOO_SOCKET_IFNAME eth0 \
  -genv TP_SOCKET_IFNAME eth0 \
  "$@"
