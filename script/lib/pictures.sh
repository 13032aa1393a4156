# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the pictures of docs/ show: sourced, never run.

# picture_digests PROGRAM SCRATCH: for each picture "DIGEST  NAME" of what its page's command answers as text, all digits
# rounded as a reader sees them. Where a digest changes, the picture shows what is no longer so.
picture_digests() {
  local name runs command digest
  local -a words
  while IFS=$'\t' read -r name runs command _; do
    [[ $name != '#'* ]] || continue
    [[ -e $2/$runs-shown.db ]] || "$1" import --db "$2/$runs-shown.db" "db/recorded/$runs"/*.sql >/dev/null || return
    read -ra words <<<"$command"
    digest=$("$1" "${words[@]}" --db "$2/$runs-shown.db" -v --format md | sed "s#$2/##g" | sha256sum) || return
    printf '%s  %s\n' "${digest%% *}" "$name"
  done <docs/pictures/pictures.tsv
}
