#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiler launcher for CUDA objects: keep_cubins.sh nvcc ... -o dir/x.cu.o
# Keeps the cubins that nvcc put into the object, and ptxas's resource report on them, in dir/x.cu.o.keep. Deletes nvcc's
# other intermediate files, which take megabytes per architecture.
set -u
object=
previous=
for argument in "$@"; do
  if [ "$previous" = -o ]; then object=$argument; fi
  previous=$argument
done
case $object in
  *.o | *.obj) ;;
  *) exec "$@" ;;  # a preprocessing or scanning call: nothing to keep
esac

keep=$object.keep
rm -rf "$keep"
mkdir -p "$keep" || exit 1
"$@" --keep --keep-dir "$keep" -Xptxas -v 2>"$keep/report.txt"
status=$?
# The report goes to the table. Users see the other output: warnings and errors.
grep -v -E '^ptxas info|^ +[0-9]+ bytes stack frame|^ +Function properties|^$' "$keep/report.txt" >&2
find "$keep" -type f ! -name '*.cubin' ! -name report.txt -delete
if [ $status -ne 0 ]; then rm -rf "$keep"; fi
exit $status
