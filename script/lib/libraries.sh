# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Finds the libraries that a folder's programs need and copies them beside the programs. This file is sourced, never run.

# Matches names of libraries that the other machine provides.
left_to_the_machine="^($(grep -v '^#' cmake/left_to_the_machine.txt | paste -sd '|'))\.so"
readonly left_to_the_machine

# Programs and shared libraries in folder $1, recognised by their first bytes, because lib/ also holds scripts and
# archives.
binaries() {
  local file magic
  while IFS= read -r file; do
    { LC_ALL=C IFS= read -r -N 4 magic <"$file"; } 2>/dev/null || continue
    [[ $magic != $'\x7fELF' ]] || printf '%s\n' "$file"
  done < <(find "$1/bin" "$1/libexec" "$1/lib" -type f 2>/dev/null | LC_ALL=C sort)
}

# Prints the libraries that the loader uses for file $1, including indirect ones. Each line is "NAME<tab>PATH", without a
# path if the loader finds none.
libraries_of() {
  env -u LD_LIBRARY_PATH ldd "$1" 2>/dev/null | sed -nE \
    -e 's#^\t(.+) => not found$#\1\t#p' -e 's#^\t(.+) => (.+) \(0x[0-9a-f]+\)$#\1\t\2#p' -e 's#^\t(/.+) \(0x[0-9a-f]+\)$#\1\t\1#p'
}

# Copies the libraries that programs in folder $1 need, and the other machine lacks, beside our own.
add_libraries() {
  local name path
  while IFS=$'\t' read -r name path; do
    name=${name##*/}
    [[ -n $path && $path != "$1"/* && ! $name =~ $left_to_the_machine ]] || continue
    install -D --mode=755 "$path" "$1/lib/$name"
    patchelf --set-rpath "\$ORIGIN" "$1/lib/$name"
  done < <(binaries "$1" | while IFS= read -r file; do libraries_of "$file"; done | sort --unique)
}
