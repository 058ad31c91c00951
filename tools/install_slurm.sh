#!/bin/sh
# Install Slurm and MUNGE from Debian's (or Ubuntu's) packages. Nothing is configured or started: rarlib brings up a
# Slurm of its own (artifact/slurm/loopback.py). slurm-wlm-emulator must not be there: it replaces slurmctld and slurmd by
# programs that do not work with the clients of these packages.
set -eu
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "error: needs apt-get and the rights of an administrator; install slurm-wlm and munge in your own way" >&2
    exit 2
fi
if dpkg -s slurm-wlm-emulator >/dev/null 2>&1; then
    echo "error: slurm-wlm-emulator is installed, which does not work; remove it first" >&2
    exit 2
fi
# The packages would start daemons that need a configuration.
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends slurm-wlm munge
