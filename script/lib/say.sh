# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# How the scripts talk: sourced, never run. Expects $script to hold the name that messages start with.

# A sentence for the user.
say() { printf '%s: %s\n' "${script:?}" "$*"; }

# A sentence that says what to do next, then exit status 2: could not do it.
die() {
  printf '%s: %s\n' "${script:?}" "$*" >&2
  exit 2
}

elapsed() { printf '%d:%02d' $((SECONDS / 60)) $((SECONDS % 60)); }

# step "text": heading of a long step. Set steps=n beforehand; SECONDS counts from the start of the script. With the name of
# a file in CULPRIT_STEPS, a line there says when it began.
step_number=0
step() {
  step_number=$((step_number + 1))
  [[ -z ${CULPRIT_STEPS:-} ]] || printf '%s\t%s: %s\n' "$EPOCHSECONDS" "$script" "$*" >>"$CULPRIT_STEPS"
  printf '\n=== step %d/%d (%s elapsed): %s\n' "$step_number" "${steps:?}" "$(elapsed)" "$*"
}

# How many compilers may run at once: one per processor, and 1 GiB of memory for each, twice what the largest file took.
jobs_here() {
  local processors memory_gib
  processors=$(nproc)
  memory_gib=$(awk '/^MemAvailable:/ {print int($2 / 1048576)}' /proc/meminfo)
  ((memory_gib >= 1)) || memory_gib=1
  echo $((processors < memory_gib ? processors : memory_gib))
}
