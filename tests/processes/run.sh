#!/usr/bin/env bash
# Usage: run.sh BUILD SCRATCH
# Runs programs on meshes of several processes under each implementation of MPI that weft was built with: the results must have the same
# bits as in one process, and a process that fails must be named.
set -euo pipefail
programs=$1/bin/tests scratch=$2 weft=$1/bin/weft
rm -rf "$scratch" && mkdir -p "$scratch"
# Open MPI ends without freeing what it has allocated, so leaks are not looked for where these programs are instrumented.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
export WEFT_CACHE=1 WEFT_CACHE_DIR=$scratch/cache WEFT_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

launchers=()
[ ! -e "$1/lib/libweft_openmpi.so" ] || ! command -v mpirun.openmpi >/dev/null || launchers+=(openmpi)
[ ! -e "$1/lib/libweft_mpich.so" ] || ! command -v mpirun.mpich >/dev/null || launchers+=(mpich)
if [ ${#launchers[@]} = 0 ]; then
  echo "skipped: weft was built without MPI, or there is no mpirun (Debian: libopenmpi-dev openmpi-bin, libmpich-dev mpich)"
  exit 77
fi

launch() {  # LAUNCHER COUNT COMMAND...
  local launcher=$1 count=$2
  shift 2
  case $launcher in
    openmpi) timeout 500 mpirun.openmpi --oversubscribe --bind-to none -n "$count" "$@" ;;
    # Otherwise it kills the others before they can say which process has ended.
    mpich) timeout 500 mpirun.mpich -disable-auto-cleanup -n "$count" "$@" ;;
  esac
}
failed() { echo "failed: $1"; [ $# -lt 2 ] || cat "$2"; exit 1; }

# The same bits for any number of processes.
"$programs/collectives" >"$scratch/one"
for launcher in "${launchers[@]}"; do
  for count in 2 4 8; do
    launch "$launcher" "$count" "$programs/collectives" >"$scratch/several" 2>"$scratch/errors" ||
      failed "collectives, $count processes of $launcher" "$scratch/errors"
    diff "$scratch/one" "$scratch/several" >"$scratch/difference" ||
      failed "collectives: $count processes of $launcher have other results" "$scratch/difference"
  done
done
grep -c . "$scratch/one" | sed 's/$/ results agree/'

# Training runs whose state is divided among the processes: their checkpoints, which hold whole tensors, are the same files.
for i in $(seq 1 6000); do echo "line $i of a text to learn from: $((i * i % 97)) $((i * 31 % 89))"; done >"$scratch/text"
train() {  # LAYOUT FOLDER OPTION...: trains with the launcher in ${by[@]}
  local layout=$1 folder=$2
  shift 2
  # shellcheck disable=SC2086
  "${by[@]}" "$weft" train text --file "$scratch/text" --layers 1 --width 32 --heads 2 --context 32 --batch 8 --val-every 8 \
    --save "$folder" --json $layout "$@" >"$folder.json" 2>"$folder.errors" || failed "training into $folder" "$folder.errors"
}
same() { diff <(cd "$1" && sha256sum ./*.safetensors) <(cd "$2" && sha256sum ./*.safetensors) || failed "$1 and $2 differ"; }
runs=0
for layout in "--mesh data=4" "--mesh data=4 --zero 3" "--mesh data=2,model=2 --zero 1" "--mesh data=4 --dtype bf16 --dropout 0.1"; do
  name=$scratch/run$((runs++))
  by=(env) && train "$layout" "$name" --steps 16
  for launcher in "${launchers[@]}"; do
    for count in 2 4; do
      by=(launch "$launcher" "$count")
      train "$layout" "$name-$launcher-$count" --steps 16
      same "$name" "$name-$launcher-$count"
    done
  done
  # A run that goes on with other numbers of processes.
  by=(launch "${launchers[0]}" 4) && train "$layout" "$name-moved" --steps 6 --decay-steps 16 --warmup 2
  by=(env) && train "$layout" "$name-still" --steps 16 --decay-steps 16 --warmup 2
  by=(launch "${launchers[-1]}" 2) && train "$layout" "$name-moved" --resume "$name-moved" --steps 11
  by=(env) && train "$layout" "$name-moved" --resume "$name-moved" --steps 16
  same "$name-still" "$name-moved"
done
echo "$runs layouts train to the same bits"

# The same for tables that are divided among the processes, with part of the next step computed ahead.
rank() {  # LAYOUT FOLDER OPTION...: trains with the launcher in ${by[@]}
  local layout=$1 folder=$2
  shift 2
  # shellcheck disable=SC2086
  "${by[@]}" "$weft" train ranking --rows 300 --width 4 --bottom 8 --top 8 --batch 64 --days 3 --day-samples 300 --steps 12 --val-every 5 \
    --save "$folder" --json $layout "$@" >"$folder.json" 2>"$folder.errors" || failed "ranking into $folder" "$folder.errors"
}
runs=0
for layout in "--mesh data=4" "--mesh data=4 --sharding row_wise --schedule base --zero 1" "--mesh data=4 --sharding column_wise --schedule semi_sync"; do
  name=$scratch/ranking$((runs++))
  by=(env) && rank "$layout" "$name"
  for launcher in "${launchers[@]}"; do
    by=(launch "$launcher" 2) && rank "$layout" "$name-$launcher"
    same "$name" "$name-$launcher"
    for key in auc normalised_entropy; do
      [ "$(grep -o "\"$key\":[^,]*" "$name.json")" = "$(grep -o "\"$key\":[^,]*" "$name-$launcher.json")" ] ||
        failed "$name-$launcher.json has another $key" "$name-$launcher.json"
    done
  done
done
echo "$runs layouts of tables train to the same bits"

# Processes that fail: all end with an error within the deadline, and one of them says what happened.
export WEFT_RANK_DEADLINE_S=3
# MPICH's launcher kills the other processes with the first one that a signal ends: on a busy machine, before they have said which it was, or
# before the launcher has passed it on. So this fault may be repeated.
fault() {  # FAULT PATTERN: the message
  for launcher in "${launchers[@]}"; do
    local code left=1
    [ "$launcher $1" != "mpich kill" ] || left=8
    while [ $left -gt 0 ]; do
      code=0
      launch "$launcher" 4 "$programs/faults" "$1" >"$scratch/output" 2>&1 || code=$?
      [ "$code" -ne 0 ] && [ "$code" -ne 124 ] || failed "$1, $launcher: exit code $code" "$scratch/output"
      grep -qE "$2" "$scratch/output" && break
      left=$((left - 1))
    done
    [ $left -gt 0 ] || failed "$1, $launcher: no message like $2" "$scratch/output"
  done
}
launch "${launchers[0]}" 4 "$programs/faults" none >"$scratch/output" 2>&1 || failed "no fault" "$scratch/output"
fault kill 'rank 3 \(process [0-9]+\) was killed, or ended without an error message.* from .*faults.cpp:[0-9]+ \(step'
fault exit 'rank 3 \(process [0-9]+\) ends with exit code 3'
fault throw 'the disk of this process is full'
fault leave 'rank 3 \(process [0-9]+\) is ended'
fault stop 'rank 3 \(process [0-9]+\) is stopped.* from .*faults.cpp:[0-9]+'
fault hang 'rank 3 \(process [0-9]+\) is computing for .*, after .* from .*faults.cpp:[0-9]+'
for difference in operation shape type count; do fault "$difference" 'the ranks (do different things|wait for each other in different operations): .*faults.cpp:[0-9]+ .*rank'; done
echo "10 faults are named"

# A process for which the others wait is found in the recording of each of them.
for launcher in "${launchers[@]}"; do
  profile=$scratch/profile-$launcher
  launch "$launcher" 4 "$programs/faults" late "$profile" >"$scratch/output" 2>&1 || failed "late, $launcher" "$scratch/output"
  for folder in "$profile" "$profile/rank-2"; do
    "$weft" doctor "$folder" >"$scratch/output" && grep -A 1 'where   rank 3' "$scratch/output" | grep -q 'this rank waits for it' ||
      failed "$launcher: $folder does not name rank 3" "$scratch/output"
  done
  "$weft" doctor "$profile/rank-3" >"$scratch/output" && grep -A 1 'where   rank 3' "$scratch/output" | grep -q 'another rank waits for it' ||
    failed "$launcher: rank 3 does not know that others wait for it" "$scratch/output"
done
echo "a late process is named"

# What makes no sense.
refused() {  # PATTERN COUNT COMMAND...
  local pattern=$1 code=0
  shift
  launch "${launchers[0]}" "$@" >"$scratch/output" 2>&1 || code=$?
  [ "$code" -ne 0 ] && grep -q "$pattern" "$scratch/output" || failed "no refusal like $pattern" "$scratch/output"
  [ "$(grep -c '^error: ' "$scratch/output")" = 1 ] || failed "more than one error" "$scratch/output"
}
refused '3 processes.*--mesh data=3' 3 "$weft" train text --file "$scratch/text" --config tiny
refused 'a mesh of 4 devices cannot be shared equally by 3 processes' 3 "$weft" train text --file "$scratch/text" --config tiny --batch 4 --mesh data=4
