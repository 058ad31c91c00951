#!/bin/sh
# Build the image of Containerfile with the first program found that can: podman, buildah or docker.
set -eu
cd "$(dirname "$0")/.."
for engine in podman buildah docker; do
    if command -v "$engine" >/dev/null; then
        echo "Building rarlib:latest with $engine: some minutes, about 2 GB."
        exec "$engine" build --file Containerfile --tag rarlib:latest "$@" .
    fi
done
echo "error: make container needs podman, buildah or docker, and none of them is installed" >&2
exit 2
