#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the form (clang-format) and the habits (clang-tidy) of our own C++ files; fails on any finding. clang-tidy
# needs a configured build, whose compile commands it follows.
#   packaging/lint.sh [--format-only] [FILE...]     FILEs, or all that git tracks
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

format_only=false
if [ "${1:-}" = --format-only ]; then
    format_only=true
    shift
fi
cd "$root"
if [ $# -gt 0 ]; then files=("$@"); else mapfile -t files < <(git ls-files '*.cpp' '*.h'); fi

# The version decides the form, so it is the one of Debian 12.
install_packages clang-format-14
clang-format-14 --dry-run --Werror "${files[@]}"
say "clang-format: ${#files[@]} files are clean"
if $format_only; then exit 0; fi

install_packages clang-tidy-14
[ -f "$build/compile_commands.json" ] || die "no build in $build yet: run packaging/test.sh first"
sources=()
for file in "${files[@]}"; do
    # Headers are checked through the sources that include them; sources that this build leaves out are named.
    if [[ $file != *.cpp ]]; then continue; fi
    if grep -qF "\"$root/$file\"" "$build/compile_commands.json"; then
        sources+=("$file")
    else
        say "clang-tidy: $file is not part of this build"
    fi
done
# One process per core: each parses torch's headers anew.
printf '%s\0' "${sources[@]}" | xargs -0 -P "$(build_jobs)" -n 1 clang-tidy-14 -p "$build" --quiet \
    --warnings-as-errors='*' 2> >(grep -v ' warnings\? generated\.$' >&2)
say "clang-tidy: ${#sources[@]} sources are clean"
