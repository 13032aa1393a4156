# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Messages of the scripts. This file is sourced, never run. Messages begin with the name in $script.

# Prints a sentence for the user.
say() { printf '%s: %s\n' "${script:?}" "$*"; }

# Prints a sentence that says what to do next, and exits with status 2 (failure).
die() {
  printf '%s: %s\n' "${script:?}" "$*" >&2
  exit 2
}

elapsed() { printf '%d:%02d' $((SECONDS / 60)) $((SECONDS % 60)); }

# step "text": prints the heading of a long step. Set steps=n beforehand; SECONDS counts from the start of the script. If
# CULPRIT_STEPS names a file, appends a line with the start time to it.
step_number=0
step() {
  step_number=$((step_number + 1))
  [[ -z ${CULPRIT_STEPS:-} ]] || printf '%s\t%s: %s\n' "$EPOCHSECONDS" "$script" "$*" >>"$CULPRIT_STEPS"
  printf '\n=== step %d/%d (%s elapsed): %s\n' "$step_number" "${steps:?}" "$(elapsed)" "$*"
}

# The number of compilers that may run at once: one per processor, if each has 1 GiB of memory. The largest file needs
# half of that.
jobs_here() {
  local processors memory_gib
  processors=$(nproc)
  memory_gib=$(awk '/^MemAvailable:/ {print int($2 / 1048576)}' /proc/meminfo)
  ((memory_gib >= 1)) || memory_gib=1
  echo $((processors < memory_gib ? processors : memory_gib))
}
