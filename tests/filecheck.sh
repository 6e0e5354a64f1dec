#!/usr/bin/env bash
# Usage: filecheck.sh WEFT_FOLDER FILECHECK SCRATCH FILE
# Runs the `// RUN: command` lines of FILE, each in bash; all must succeed. In a command
#   weft, FileCheck, not   are the built command, LLVM's checker, and LLVM's inversion of an exit status
#   %s, %S, %t             are FILE, FILE's folder, and a scratch path of this test's own
set -euo pipefail
bin=$1 filecheck=$2 scratch=$3 file=$4
folder=$(dirname "$file")
name=${file##*/tests/}
temporary=$scratch/${name//\//_}
mkdir -p "$scratch"
rm -rf "$temporary"*
export PATH=$bin:$(dirname "$filecheck"):$PATH
mapfile -t commands < <(sed -n 's,^ *// *RUN: *,,p' "$file")
[ ${#commands[@]} -gt 0 ] || { echo "$file: no RUN line" >&2; exit 1; }
for command in "${commands[@]}"; do
  command=${command//%s/"$file"}
  command=${command//%S/"$folder"}
  command=${command//%t/"$temporary"}
  if ! bash -euo pipefail -c "$command"; then
    echo "$file: failed: $command" >&2
    exit 1
  fi
done
