#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The steps of culprit.yml, each to be run by hand as well:
#
#   gate.sh install   ~/culprit, unless it is there, from $CULPRIT_BUNDLE (a file or an address)
#   gate.sh build     gate/base and gate/change: the commit that HEAD and $GATE_BASE have in common, and HEAD, each
#                     built by $GATE_BUILD
#   gate.sh judge     runs $GATE_RUN in both in turns until it is clear whether the change is slower by more than
#                     $GATE_LIMIT (1%) or $GATE_BUDGET seconds (600) are over; then judges all kernels of these
#                     executions, also the small ones. A suspect is confirmed or cleared by more executions in turns.
#                     Exit status as of 'culprit versus': 0 not slower, 1 slower, 2 something failed, 3 not clear
#
# Leaves gate/summary.md (also on the job's page), gate/gate.db, and of a slower program gate/culprit.html, a page with
# pictures of where and why, gate/culprit.sarif and gate/culprit.junit.xml with the lines to blame.
set -euo pipefail
culprit=${CULPRIT:-$HOME/culprit/bin/culprit}
root=$(git rev-parse --show-toplevel)
gate=$root/gate

install_culprit() {
  [ -x "$culprit" ] && return
  local there
  there=$(dirname "$(dirname "$culprit")")
  mkdir -p "$there"
  case $CULPRIT_BUNDLE in
    *://*) curl --fail --silent --show-error --location "$CULPRIT_BUNDLE" ;;
    *) cat "$CULPRIT_BUNDLE" ;;
  esac | tar --extract --gzip --strip-components=1 --directory "$there"
  "$culprit" --version
}

build_one() { # commit, name
  local tree=$gate/$2
  git worktree remove --force "$tree" 2>/dev/null || rm -rf "$tree"
  git worktree prune
  git worktree add --quiet --detach "$tree" "$1"
  (cd "$tree" && bash -euo pipefail -c "$GATE_BUILD")
}

# Both in turns, N..M times each, under two labels.
versus() { # label, label, processes
  "$culprit" versus --db "$gate/gate.db" --label "$1,$2" --processes "$3" --budget "${GATE_BUDGET:-600}" \
    --max-slowdown "${GATE_LIMIT:-1%}" --format md -- env --chdir="$gate/base" bash -c "$GATE_RUN" \
    -- env --chdir="$gate/change" bash -c "$GATE_RUN"
}
# All kernels of these executions.
check() { # label, label, format
  "$culprit" check --db "$gate/gate.db" --base "$1" --cand "$2" --max-slowdown "${GATE_LIMIT:-1%}" --format "$3"
}

judge() {
  local status=0 checked=0 base=base change=change
  rm -f "$gate"/gate.db* "$gate"/culprit.* "$gate"/summary.md # a runner that is not thrown away has the last job's
  versus $base $change 8..32 >"$gate/summary.md" || status=$?
  if [ "$status" = 0 ] || [ "$status" = 3 ]; then
    check $base $change json >"$gate/check.json" || checked=$?
    # Chance makes a suspect about once in 200 jobs, and hardly twice.
    if [ "$checked" = 3 ] && ! grep -q '"suspects": 0,' "$gate/check.json"; then
      base=base-again change=change-again checked=0
      versus $base $change 16..32 >"$gate/summary.md" || status=$?
      check $base $change json >"$gate/check.json" || checked=$?
    fi
    if [ "$checked" = 1 ]; then
      status=1
      check $base $change md >>"$gate/summary.md" || true
    fi
  fi
  cat "$gate/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
  if [ "$status" = 1 ]; then
    "$culprit" why --db "$gate/gate.db" --base $base --cand $change --format html >"$gate/culprit.html" || true
    for form in sarif junit.xml; do
      check $base $change "${form%.xml}" >"$gate/culprit.$form" || true
    done
    check $base $change github || true
  fi
  return "$status"
}

case ${1:-} in
  install) install_culprit ;;
  build)
    build_one "$(git merge-base "${GATE_BASE:-origin/main}" HEAD)" base
    build_one HEAD change
    ;;
  judge) judge ;;
  *)
    sed -n '3,16s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
