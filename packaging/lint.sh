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
# clang cannot read the compiler's precompiled headers nor its private options: a copy of the commands goes without
# them. The header itself is still included first, as in the build.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
python3 - "$build/compile_commands.json" "$commands" <<'PYTHON'
import json, os, re, shutil, sys
source, target = sys.argv[1:]
copies = {}
def plain(match):
    if match[1] not in copies:
        copies[match[1]] = os.path.join(target, f"pch_{len(copies)}.h")
        shutil.copy(match[1], copies[match[1]])
    return "-include " + copies[match[1]]
with open(source) as file:
    entries = json.load(file)
for entry in entries:
    entry["command"] = re.sub(r"-include (\S+cmake_pch\.hxx)", plain, entry["command"])
    entry["command"] = re.sub(r" (-Winvalid-pch|-fpch-preprocess)\b", "", entry["command"])
with open(os.path.join(target, "compile_commands.json"), "w") as file:
    json.dump(entries, file)
PYTHON

sources=()
for file in "${files[@]}"; do
    # Headers are checked through the sources that include them; sources that this build leaves out are named.
    if [[ $file != *.cpp ]]; then continue; fi
    if grep -qF "\"$root/$file\"" "$commands/compile_commands.json"; then
        sources+=("$file")
    else
        say "clang-tidy: $file is not part of this build"
    fi
done
# One process per core: each parses torch's headers anew.
printf '%s\0' "${sources[@]}" | xargs -0 -P "$(build_jobs)" -n 1 clang-tidy-14 -p "$commands" --quiet \
    --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option 2> >(grep -v ' warnings\? generated\.$' >&2)
say "clang-tidy: ${#sources[@]} sources are clean"
