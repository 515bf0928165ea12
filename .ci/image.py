#!/usr/bin/env python3
"""Packs static programs into an image for Docker and Podman (an OCI image layout in a tar file): one layer, from scratch.

    image.py FOLDER ARCHITECTURE VERSION FILE

FOLDER has the programs; smalt-tournament, runner and worker, is what the image starts. `podman load -i FILE`, or `docker load`."""

import gzip
import hashlib
import io
import json
import pathlib
import sys
import tarfile

FOLDER, ARCHITECTURE, VERSION, FILE = sys.argv[1:]
TYPE = "application/vnd.oci.image."


def packed(files, folders=()):
    """A tar file of contents by name; programs are executable, and everybody may write into the folders."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in folders:
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777
            tar.addfile(entry)
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755 if name.startswith("usr/bin/") else 0o644
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def blob(files, content):
    """Adds a blob; returns its descriptor without the type."""
    digest = hashlib.sha256(content).hexdigest()
    files[f"blobs/sha256/{digest}"] = content
    return {"digest": f"sha256:{digest}", "size": len(content)}


def text(value):
    return json.dumps(value, separators=(",", ":")).encode()


programs = {f"usr/bin/{path.name}": path.read_bytes() for path in sorted(pathlib.Path(FOLDER).glob("smalt*"))}
licenses = {f"usr/share/doc/smalt/{name}": (pathlib.Path(FOLDER) / name).read_bytes() for name in ["LICENSE", "LICENSES-OF-CRATES.txt"]}
layer = packed({**programs, **licenses}, folders=["tmp", "work"])
image = {}
layer_blob = blob(image, gzip.compress(layer, mtime=0))
config = blob(image, text({
    "architecture": ARCHITECTURE,
    "os": "linux",
    "config": {
        "Env": ["PATH=/usr/bin", "HOME=/work"],
        "Entrypoint": ["/usr/bin/smalt-tournament"],
        "WorkingDir": "/work",
        "Labels": {"org.opencontainers.image.version": VERSION, "org.opencontainers.image.licenses": "GPL-3.0-or-later"},
    },
    "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
}))
manifest = blob(image, text({
    "schemaVersion": 2,
    "mediaType": f"{TYPE}manifest.v1+json",
    "config": {"mediaType": f"{TYPE}config.v1+json", **config},
    "layers": [{"mediaType": f"{TYPE}layer.v1.tar+gzip", **layer_blob}],
}))
name = f"smalt:{VERSION}"
image["oci-layout"] = text({"imageLayoutVersion": "1.0.0"})
image["index.json"] = text({
    "schemaVersion": 2,
    "mediaType": f"{TYPE}index.v1+json",
    "manifests": [{
        "mediaType": f"{TYPE}manifest.v1+json",
        **manifest,
        "platform": {"architecture": ARCHITECTURE, "os": "linux"},
        "annotations": {"org.opencontainers.image.ref.name": VERSION, "io.containerd.image.name": f"docker.io/library/{name}"},
    }],
})
# Docker before version 25 reads this list instead of the index.
paths = {key: "blobs/sha256/" + one["digest"].removeprefix("sha256:") for key, one in {"Config": config, "Layers": layer_blob}.items()}
image["manifest.json"] = text([{"Config": paths["Config"], "RepoTags": [name], "Layers": [paths["Layers"]]}])
pathlib.Path(FILE).write_bytes(packed(image))
