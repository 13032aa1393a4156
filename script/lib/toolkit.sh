# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Looks for a CUDA Toolkit and a GPU. This file is sourced, never run.
# shellcheck disable=SC2034  # the scripts that source this read what it sets

readonly culprit_cuda_minimum=12.6

# Prints candidates for the toolkit's root, in this order: the user's choice, PATH, the usual places.
_toolkit_candidates() {
  local nvcc dir
  [[ -n ${CUDA_HOME:-} ]] && printf '%s\n' "$CUDA_HOME"
  [[ -n ${CUDA_PATH:-} ]] && printf '%s\n' "$CUDA_PATH"
  if nvcc=$(command -v nvcc); then
    # /usr/bin/nvcc may be a link to the real one, which is inside the toolkit.
    nvcc=$(readlink -f "$nvcc")
    printf '%s\n' "${nvcc%/bin/*}"
  fi
  printf '%s\n' /usr/local/cuda
  for dir in $(printf '%s\n' /usr/local/cuda-* /opt/cuda | sort --version-sort --reverse); do
    printf '%s\n' "$dir"
  done
}

# True when version $1 is at least version $2.
_version_at_least() { [[ $(printf '%s\n%s\n' "$1" "$2" | sort --version-sort | head -n 1) == "$2" ]]; }

# True when CUPTI's headers and library lie in $1: extras/CUPTI (NVIDIA's packages), include and lib (conda, pip).
_toolkit_has_cupti() {
  local header library
  for header in "$1"/extras/CUPTI/include/cupti.h "$1"/include/cupti.h "$1"/targets/*/include/cupti.h /nonexistent; do
    [[ -r $header ]] && break
  done
  for library in "$1"/extras/CUPTI/lib64/libcupti.so "$1"/lib64/libcupti.so "$1"/lib/libcupti.so \
    "$1"/targets/*/lib/libcupti.so /nonexistent; do
    [[ -e $library ]] && break
  done
  [[ -r $header && -e $library ]]
}

# find_toolkit: sets
#   culprit_cuda_root      the toolkit's folder, "" if no usable toolkit was found
#   culprit_cuda_version   "13.0"
#   culprit_cuda_sentence  a sentence for the user about the result
# If there is a toolkit, exports the variables that CMake and nvcc read (CUDACXX, CUDA_HOME, CUDAToolkit_ROOT, PATH).
find_toolkit() {
  local root real version seen=" " why=""
  culprit_cuda_root="" culprit_cuda_version=""
  while read -r root; do
    [[ -x $root/bin/nvcc ]] || continue
    real=$(readlink -f "$root")
    [[ $seen == *" $real "* ]] && continue
    seen+="$real "
    version=$("$root/bin/nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p') || true
    if [[ -z $version ]]; then
      why+="; $root/bin/nvcc does not start"
    elif ! _version_at_least "$version" "$culprit_cuda_minimum"; then
      why+="; $root is CUDA $version, and $culprit_cuda_minimum is needed"
    elif ! _toolkit_has_cupti "$root"; then
      why+="; $root is CUDA $version without CUPTI (package cuda-cupti-dev)"
    else
      culprit_cuda_root=$root
      culprit_cuda_version=$version
      culprit_cuda_sentence="CUDA Toolkit $version with CUPTI found in $root."
      export CUDACXX="$root/bin/nvcc" CUDA_HOME="$root" CUDAToolkit_ROOT="$root" PATH="$root/bin:$PATH"
      return 0
    fi
  done < <(_toolkit_candidates)
  culprit_cuda_sentence="No CUDA Toolkit $culprit_cuda_minimum or newer with CUPTI found (looked at CUDA_HOME, CUDA_PATH, \
nvcc on PATH, /usr/local/cuda*${why}), so only the half that needs none is built: database, analysis and the culprit command."
}

# True when the driver lists at least one GPU; culprit_gpu_name is then the first one's name.
find_gpu() {
  local listing
  culprit_gpu_name=""
  command -v nvidia-smi >/dev/null || return 1
  listing=$(nvidia-smi -L 2>/dev/null) || return 1
  culprit_gpu_name=$(sed -n 's/^GPU [0-9]*: \(.*\) (UUID.*/\1/p' <<<"$listing" | head -n 1)
  [[ -n $culprit_gpu_name ]]
}
