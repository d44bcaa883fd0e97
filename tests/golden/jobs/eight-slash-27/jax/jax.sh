#!/bin/sh
# Written by rocefab from the inventory; run it on every host of the job.
name=$(hostname -s)
case "$name" in
  node001) node_rank=0 ;;
  node002) node_rank=1 ;;
  *) echo "$name is not a host of this job" >&2; exit 2 ;;
esac
export JAX_COORDINATOR_ADDRESS=node001:1234
export JAX_LOCAL_DEVICE_IDS=0,1,2,3,4,5,6,7
export JAX_NUM_PROCESSES=2
export JAX_PROCESS_ID="$node_rank"
exec "$@"
