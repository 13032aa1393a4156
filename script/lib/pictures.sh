# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Digests of the content of pictures in docs/. This file is sourced, never run.

# picture_digests PROGRAM SCRATCH: prints "DIGEST  NAME" for each picture. The digest is over the text output of its
# page's command, with numbers rounded as readers see them. If a digest changes, the picture is out of date.
picture_digests() {
  local name runs command digest
  local -a words
  while IFS=$'\t' read -r name runs command _; do
    [[ $name != '#'* ]] || continue
    [[ -e $2/$runs-shown.db ]] || "$1" import --db "$2/$runs-shown.db" "tests/recorded/$runs"/*.sql.zst >/dev/null || return
    read -ra words <<<"$command"
    digest=$("$1" "${words[@]}" --db "$2/$runs-shown.db" -v --format md | sed "s#$2/##g" | sha256sum) || return
    printf '%s  %s\n' "${digest%% *}" "$name"
  done <docs/pictures/pictures.tsv
}
