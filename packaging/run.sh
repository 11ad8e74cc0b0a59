#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up, builds and starts Earscope with its demonstration model. Options: --build-only (start nothing; the last line
# is the folder with the programs), --help.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
    cat <<'TEXT'
packaging/run.sh [--build-only] [--help]

Installs what is missing (Debian packages; libtorch into .deps/), builds the programs in build/release and starts the
window with the demonstration model and clips. Without a display it asks the model on the command line instead.

  --build-only   start nothing; the last line printed is the folder that holds earscope and earscope-cli

EARSCOPE_CUDA=1 or 0      fetch libtorch with or without CUDA, whatever GPU is found
EARSCOPE_LIBTORCH=FOLDER  use the libtorch in FOLDER (its folder torch/lib holds libtorch_cpu.so)
TEXT
}

# Whether a window can be opened: the server named by DISPLAY lets us in, or the socket of a Wayland session is there.
has_display() {
    if [ -n "${WAYLAND_DISPLAY:-}" ] && [ -S "${XDG_RUNTIME_DIR:-/nonexistent}/$WAYLAND_DISPLAY" ]; then
        return 0
    fi
    [ -n "${DISPLAY:-}" ] && python3 -c '
import ctypes, sys
x11 = ctypes.CDLL("libX11.so.6")
x11.XOpenDisplay.restype = ctypes.c_void_p
sys.exit(0 if x11.XOpenDisplay(None) else 1)' 2>/dev/null
}

# The job of the window without one: the answer goes to stdout, the embeddings to a file in the build folder.
run_without_display() {
    local cli="$build/bin/earscope-cli" clip="$root/resources/demo/clips/one-note.wav"
    local question="Which instrument is this?" out="$build/demo-embeddings.safetensors"
    say "No display was found, so the command line does the same job"
    say "$(basename "$clip"), question: $question (the demonstration model knows simple sounds; this one is a trumpet)"
    "$cli" generate demo --audio "$clip" --prompt "$question" --max-new-tokens 32 --stream
    "$cli" extract demo --audio "$clip" --prompt "$question" --layers -1 --out "$out" >/dev/null
    say "Embeddings: $out ($(stat -c %s "$out") bytes; any safetensors reader opens it)"
    say "To see the window, run this script on a desktop, or log in to this machine with ssh -X and run it again"
}

build_only=false
for argument in "$@"; do
    case $argument in
        --build-only) build_only=true ;;
        --help | -h) usage; exit 0 ;;
        *) usage >&2; printf 'error: unknown option %s\n' "$argument" >&2; exit 2 ;;
    esac
done

set_up
build_targets earscope earscope-cli
if $build_only; then
    echo "$build/bin"
elif has_display; then
    say "Starting $build/bin/earscope --demo"
    exec "$build/bin/earscope" --demo
else
    run_without_display
fi
