#!/bin/sh
# PrologSlurmctld and EpilogSlurmctld for Slurm: tells `rocefab serve` which jobs run.
#
# Name it in slurm.conf on the host of slurmctld, and let slurmctld's user execute it:
#   PrologSlurmctld=/etc/slurm/running_jobs.sh
#   EpilogSlurmctld=/etc/slurm/running_jobs.sh
# It needs curl, waits 2 s at most, and never fails: a prolog that fails would requeue its job.
# The service rejects a job with a node that is not a host of the fabric, and counts none of its hosts.
# Keep such nodes out of the partitions of the fabric. What the service answers is in the system log.
# Variables: Slurm's prolog and epilog guide (SLURM_SCRIPT_CONTEXT since 20.11).
PATH=/usr/bin:/bin
URL=http://127.0.0.1:8780
HEADERS=/dev/null # a file of mode 0600 with `Authorization: Bearer TOKEN`, of scope jobs

send() {
  curl --silent --show-error --fail-with-body --max-time 2 -H "@$HEADERS" "$@" 2>&1 |
    logger -t rocefab
}

case "$SLURM_SCRIPT_CONTEXT" in
prolog_slurmctld)
  send "$URL/v1/jobs" -H 'Content-Type: application/json' \
    -d "{\"name\": \"slurm-$SLURM_JOB_ID\", \"hosts\": \"$SLURM_JOB_NODELIST\"}"
  ;;
epilog_slurmctld)
  send -X DELETE "$URL/v1/jobs/slurm-$SLURM_JOB_ID"
  ;;
esac
exit 0
