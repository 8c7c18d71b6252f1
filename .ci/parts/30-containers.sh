# Sandboxes in Docker, Podman and gVisor for real.
exec sh scripts/ci/containers.sh
