# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Packages of npm that tests need. This file is sourced after say.sh, never run.

# install_npm_packages FROM INTO: installs the packages of FROM/package-lock.json into INTO, if they are missing or of other
# versions. INTO/complete says that all are there. Runs no scripts of packages. Needs node 18 or newer, npm, and its
# registry once.
install_npm_packages() {
  local from=$1 into=$2 tool
  if cmp -s "$from/package-lock.json" "$into/package-lock.json" && [[ -e $into/complete ]]; then
    say "$into is up to date."
    return
  fi
  for tool in node npm; do
    command -v "$tool" >/dev/null || die "needs $tool: script/bootstrap --web installs it; without, the test is left out."
  done
  rm -rf "$into"
  mkdir -p "$into"
  cp "$from/package.json" "$from/package-lock.json" "$into/"
  (cd "$into" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) || {
    tail -5 "$into/npm.log" >&2
    die "npm could not install the packages of $from/package-lock.json; the lines above say why."
  }
  touch "$into/complete"
  say "installed the packages of $from into $into."
}
