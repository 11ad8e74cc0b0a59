#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up like run.sh, builds everything and runs all tests. The last line is the count; the exit status is that of the
# tests. Arguments go to ctest, for example: packaging/test.sh -L audio
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

set_up "${test_packages[@]}"
build_targets
report="$build/tests.xml"
rm -f "$report"
say "Running the tests"
status=0
# Whole outputs are kept in the report, because the count reads them.
ctest --test-dir "$build" --parallel 2 --output-on-failure --no-tests=error --output-junit "$report" \
    --test-output-size-passed 4000000 --test-output-size-failed 4000000 "$@" || status=$?
python3 "$root/packaging/count_tests.py" "$report" || status=1
exit "$status"
