#!/bin/bash
# svc verify or svc rehearse as a Slurm array, a piece a task:
#   sbatch --array=0-47 release/slurm/pieces.sh verify 50457424-50557423
#   sbatch --array=0-47 release/slurm/pieces.sh rehearse C…=new.wasm 57000000-57099999
#   sbatch --array=0-47 release/slurm/pieces.sh rehearse C…=new.wasm /ledgers
# The tasks are numbered from 0. A task whose result is there ends at once, so that the array can be
# submitted again as it is; --array=0-47%4 runs four at a time. Then merge the results:
#   svc verify merge "$SVC_RESULT"    or    svc rehearse merge "$SVC_RESULT"
#SBATCH --job-name=svc
#SBATCH --cpus-per-task=1
#SBATCH --mem=3G
#SBATCH --time=12:00:00
#SBATCH --requeue
set -u
: "${1:?the command, such as verify 100-200}"
export SVC_SHARDS=${SVC_SHARDS:-${SLURM_ARRAY_TASK_COUNT:-}}
: "${SVC_RESULT:=$PWD/$1}"
# A piece of a range needs ledgers before it. A rehearsal of files reads all that it needs.
for word in "$@"; do
  [[ $word =~ ^[0-9]+-[0-9]+$ || $1 == verify ]] && : "${SVC_WARM_UP:=320}"
done
# SVC_NETWORK, SVC_LEDGER_LAKE_URL and SVC_RPC_URL come from the environment of sbatch.
for attempt in 1 2 3 4 5 6; do
  srun --ntasks=1 svc "$@" --shard env --result "$SVC_RESULT" ${SVC_WARM_UP:+--warm-up "$SVC_WARM_UP"} --jobs 1
  code=$?
  case $code in
    0) exit 0 ;;
    # A wrong command line or setting, or no right to write the results: every other task would fail
    # too. Exit code 4 is a node, a network or a disk.
    2 | 3) scancel "${SLURM_ARRAY_JOB_ID:?}" ; exit $code ;;
  esac
  sleep $((attempt * 10))
done
exit $code
