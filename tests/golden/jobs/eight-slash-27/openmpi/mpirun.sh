#!/bin/sh
# Written by rocefab from the inventory; run it next to the hostfile.
exec mpirun -np 16 --map-by slot --bind-to none \
  --hostfile hostfile \
  -mca pml ob1 -mca btl '^openib' \
  -mca btl_tcp_if_include eth0 -mca oob_tcp_if_include eth0 \
  -x NCCL_SOCKET_IFNAME==eth0 \
  -x NCCL_IB_HCA==mlx5_1,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7,mlx5_8 \
  -x NCCL_IB_TIMEOUT=22 \
  -x NCCL_IB_QPS_PER_CONNECTION=8 \
  -x NCCL_IB_ROCE_VERSION_NUM=2 \
  -x NCCL_IB_ADDR_FAMILY=AF_INET \
  -x NCCL_IB_ADDR_RANGE=25.11.128.0/24 \
  -x NCCL_IB_TC=104 \
  -x NCCL_CROSS_NIC=2 \
  -x UCX_NET_DEVICES=mlx5_1:1,mlx5_2:1,mlx5_3:1,mlx5_4:1,mlx5_5:1,mlx5_6:1,mlx5_7:1,mlx5_8:1 \
  -x UCX_IB_TRAFFIC_CLASS=104 \
  -x GLOO_SOCKET_IFNAME=eth0 \
  -x TP_SOCKET_IFNAME=eth0 \
  "$@"
