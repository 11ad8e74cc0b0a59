#!/usr/bin/env bash
# Sound hardware for a test, made of software: runs a command beside a PulseAudio daemon of its own
# that has one loudspeaker and one microphone, and the microphone hears what the loudspeaker plays.
#
#   virtual_mic.sh COMMAND [ARGUMENT...]      the exit status is that of the command
#   virtual_mic.sh --none COMMAND ...         no sound system can be reached at all
#
# Needs the programs pulseaudio and pactl. The microphone is a remapped source, because the
# monitor of a sink is not offered as a microphone by Qt. Nothing outside of a temporary folder is
# read or written, and a daemon of the user is left alone.
set -euo pipefail

scratch=$(mktemp -d "${TMPDIR:-/tmp}/earscope-sound-XXXXXX")
daemon=
clean_up() {
    if [[ -n $daemon ]]; then
        kill "$daemon" 2>/dev/null || true
        wait "$daemon" 2>/dev/null || true
    fi
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

chmod 700 "$scratch"
export HOME=$scratch XDG_RUNTIME_DIR=$scratch XDG_CONFIG_HOME=$scratch/config
export PULSE_SERVER=unix:$scratch/socket PULSE_COOKIE=$scratch/cookie
mkdir -p "$XDG_CONFIG_HOME/pulse"
echo 'autospawn = no' >"$XDG_CONFIG_HOME/pulse/client.conf"

if [[ ${1:-} == --none ]]; then
    shift
else
    cat >"$scratch/setup.pa" <<EOF
load-module module-native-protocol-unix socket=$scratch/socket auth-anonymous=1
load-module module-null-sink sink_name=loudspeaker rate=48000 channels=2 sink_properties=device.description=Virtual-Loudspeaker
load-module module-remap-source source_name=microphone master=loudspeaker.monitor source_properties=device.description=Virtual-Microphone
set-default-sink loudspeaker
set-default-source microphone
EOF
    # --daemonize=no keeps it a child that ends with this script.
    pulseaudio --daemonize=no --exit-idle-time=-1 --use-pid-file=no --disallow-exit -n \
        -F "$scratch/setup.pa" >"$scratch/log" 2>&1 &
    daemon=$!
    for ((tries = 0; ; ++tries)); do
        pactl info >/dev/null 2>&1 && break
        if ((tries == 100)) || ! kill -0 "$daemon" 2>/dev/null; then
            echo "virtual_mic.sh: PulseAudio did not start:" >&2
            cat "$scratch/log" >&2
            exit 1
        fi
        sleep 0.1
    done
fi
"$@"
