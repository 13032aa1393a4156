#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The steps of culprit.yml, each to be run by hand as well:
#
#   gate.sh install   ~/culprit, unless it is there, from $CULPRIT_BUNDLE (a file or an address)
#   gate.sh build     gate/base and gate/change: the commit that HEAD and $GATE_BASE have in common, and HEAD, each
#                     built by $GATE_BUILD
#   gate.sh judge     runs $GATE_RUN in both in turns until it is clear whether the change is slower by more than
#                     $GATE_LIMIT (1%) or $GATE_BUDGET seconds (600) are over; exit status as of 'culprit versus'
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

judge() {
  local status=0
  rm -f "$gate"/gate.db* "$gate"/culprit.* "$gate"/summary.md # a runner that is not thrown away has the last job's
  "$culprit" versus --db "$gate/gate.db" --label base,change --budget "${GATE_BUDGET:-600}" \
    --max-slowdown "${GATE_LIMIT:-1%}" --format md -- env --chdir="$gate/base" bash -c "$GATE_RUN" \
    -- env --chdir="$gate/change" bash -c "$GATE_RUN" >"$gate/summary.md" || status=$?
  cat "$gate/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
  if [ "$status" = 1 ]; then
    "$culprit" why --db "$gate/gate.db" --base base --cand change --format html >"$gate/culprit.html" || true
    for form in sarif junit.xml; do
      "$culprit" check --db "$gate/gate.db" --base base --cand change --max-slowdown "${GATE_LIMIT:-1%}" \
        --format "${form%.xml}" >"$gate/culprit.$form" || true
    done
    "$culprit" check --db "$gate/gate.db" --base base --cand change --max-slowdown "${GATE_LIMIT:-1%}" \
      --format github || true
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
    sed -n '3,14s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
