#!/bin/sh
# Written by rocefab from the inventory; run it next to the hostfile.
export HOROVOD_HIERARCHICAL_ALLREDUCE='1'
export HOROVOD_HIERARCHICAL_ALLGATHER='1'
export NCCL_SOCKET_IFNAME='=eth0'
export NCCL_IB_HCA='=mlx5_1,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7,mlx5_8'
export NCCL_IB_TIMEOUT='22'
export NCCL_IB_QPS_PER_CONNECTION='8'
export NCCL_IB_ROCE_VERSION_NUM='2'
export NCCL_IB_ADDR_FAMILY='AF_INET'
export NCCL_IB_ADDR_RANGE='25.11.128.0/24'
export NCCL_IB_TC='104'
export NCCL_CROSS_NIC='2'
export UCX_NET_DEVICES='mlx5_1:1,mlx5_2:1,mlx5_3:1,mlx5_4:1,mlx5_5:1,mlx5_6:1,mlx5_7:1,mlx5_8:1'
export UCX_IB_TRAFFIC_CLASS='104'
export GLOO_SOCKET_IFNAME='eth0'
export TP_SOCKET_IFNAME='eth0'
exec horovodrun -np 16 --hostfile hostfile --network-interfaces eth0 "$@"
