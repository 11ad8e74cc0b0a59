# shellcheck shell=bash disable=SC2034,SC2120
# SPDX-License-Identifier: GPL-3.0-or-later
# Set-up shared by run.sh, test.sh and lint.sh; sourced by them, not run. Everything it says goes to stderr, so that
# stdout holds results only. Each step looks first whether it is done already.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${EARSCOPE_PRESET:-release}
build="$root/build/$preset"
libtorch=${EARSCOPE_LIBTORCH:-$root/.deps/libtorch}

build_packages=(
    g++ cmake ninja-build ccache pkg-config git python3 python3-pip
    qt6-base-dev qt6-multimedia-dev qt6-svg-dev qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools qt6-wayland
    libqcustomplot-dev libsndfile1-dev libmpg123-dev nlohmann-json3-dev libicu-dev libzip-dev libcli11-dev libdtl-dev libssl-dev
    libgl1-mesa-dev fonts-dejavu-core
)
# For the tests: a screen, a speaker and a microphone on machines that have none.
test_packages=(xvfb xauth xdotool pulseaudio pulseaudio-utils)

say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "installing packages needs root: run this script as root or install sudo"
    fi
}

# install_packages PACKAGE...: asks apt only for what dpkg does not list as installed.
install_packages() {
    if ! command -v apt-get >/dev/null; then
        say "No apt here: please see to it that the equivalents of these Debian packages are installed: $*"
        return
    fi
    local package missing=()
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    if [ ${#missing[@]} -eq 0 ]; then
        say "Debian packages: all $# are installed"
        return
    fi
    say "Debian packages: installing ${missing[*]}"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
    as_root "${apt[@]}" update >&2
    as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2
}

has_gpu() {
    case ${EARSCOPE_CUDA:-auto} in
        auto) command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU' ;;
        1) true ;;
        0) false ;;
        *) die "EARSCOPE_CUDA is '$EARSCOPE_CUDA'; it can be auto, 1 or 0" ;;
    esac
}

# The first Python that has pip; a user's own may come before Debian's in PATH and lack it.
python_with_pip() {
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -m pip --version >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    die "no python3 with pip was found (Debian package python3-pip)"
}

# Removes what linking and running do not need (Python parts, static libraries; the CUDA part if there is no GPU).
trim_libtorch() {
    local folder=$1 kind=$2
    find "$folder" -mindepth 1 -maxdepth 1 ! -name torch ! -name nvidia ! -name 'torch-*.dist-info' -exec rm -rf {} +
    find "$folder/torch" -mindepth 1 -maxdepth 1 ! -name lib ! -name include -exec rm -rf {} +
    find "$folder/torch/lib" -mindepth 1 \( -type d -o -name 'libtorch_python*' -o -name 'libshm*' \) -exec rm -rf {} +
    find "$folder/nvidia" -type f ! -name '*.so*' ! -iname '*license*' -delete
    find "$folder/nvidia" -type d -empty -delete
    if [ "$kind" = cpu ]; then
        rm -f "$folder"/torch/lib/libtorch{,_cuda,_cuda_linalg,_nvshmem}.so \
            "$folder"/torch/lib/lib{c10_cuda,caffe2_nvrtc,torch_global_deps}.so
    fi
}

# Installs the wheels of libtorch.txt into a folder beside the final one and renames it, so that an interrupted run
# leaves nothing that looks finished. The wheels are chosen for a fixed Python version: only their C++ part is used,
# so any Python can fetch them.
install_libtorch() {
    local kind=cpu wanted stamp="$libtorch/earscope-stamp"
    if has_gpu; then kind=cuda; fi
    wanted="$kind $(grep -v '^#' "$root/packaging/libtorch.txt" | cksum)"
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
        say "libtorch ($kind): installed in $libtorch"
        return
    fi
    if [ ! -f "$stamp" ] && [ -e "$libtorch/torch/lib/libtorch_cpu.so" ]; then
        say "libtorch: using the one found in $libtorch, which these scripts did not install"
        return
    fi
    local requirements python new="$libtorch.new"
    mapfile -t requirements < <(awk -v kind="$kind" '$1 == "cpu" || $1 == kind { print $2 }' "$root/packaging/libtorch.txt")
    python=$(python_with_pip)
    case $kind in
        cpu) say "libtorch for the CPU: fetching ${requirements[*]} (about 0.6 GB, a few minutes)" ;;
        cuda) say "libtorch for CUDA: fetching ${requirements[*]} (about 2.5 GB, some minutes)" ;;
    esac
    rm -rf "$new" "$new.tmp"
    mkdir -p "$new.tmp"
    local platforms minor
    mapfile -t platforms < <(for minor in {28..5}; do echo "--platform=manylinux_2_${minor}_x86_64"; done)
    TMPDIR="$new.tmp" "$python" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
        --no-deps --no-compile --target "$new" --only-binary=:all: --implementation cp --python-version 3.11 \
        "${platforms[@]}" --platform=manylinux2014_x86_64 --platform=manylinux2010_x86_64 \
        --platform=manylinux1_x86_64 "${requirements[@]}" >&2 || {
        rm -rf "$new" "$new.tmp"
        die "pip could not install libtorch (its message is above)"
    }
    trim_libtorch "$new" "$kind"
    echo "$wanted" >"$new/earscope-stamp"
    rm -rf "$new.tmp" "$libtorch"
    mv "$new" "$libtorch"
    say "libtorch ($kind): installed in $libtorch, $(du -sh "$libtorch" | cut -f1)"
}

# One compiler run that reads torch's headers takes up to 2 GB.
build_jobs() {
    local memory_gb
    memory_gb=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
    local jobs=$((memory_gb / 2)) cores
    cores=$(nproc)
    if [ "$jobs" -gt "$cores" ]; then jobs=$cores; fi
    if [ "$jobs" -lt 1 ]; then jobs=1; fi
    echo "$jobs"
}

# build_targets [TARGET...]: configures once (ninja repeats it when a CMake file or libtorch changes) and builds.
build_targets() {
    if [ ! -f "$build/build.ninja" ]; then
        say "Configuring $build"
        (cd "$root" && cmake --preset "$preset" -DEARSCOPE_LIBTORCH="$libtorch") >&2
    fi
    local jobs
    jobs=$(build_jobs)
    say "Building ${*:-everything} in $build with $jobs jobs (the first time takes several minutes)"
    cmake --build "$build" --parallel "$jobs" ${1:+--target "$@"} >&2
}

# set_up [PACKAGE...]: everything before the build; PACKAGEs come on top of those the build needs. One at a time per
# checkout.
set_up() {
    [ "$(uname -m)" = x86_64 ] || die "only x86-64 Linux is supported; this machine is $(uname -m)"
    install_packages "${build_packages[@]}" "$@"
    mkdir -p "$(dirname "$libtorch")"
    exec 8>"$(dirname "$libtorch")/.setup-lock"
    flock 8
    install_libtorch
    exec 8>&-
}
