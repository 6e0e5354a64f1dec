"""Packs the package weft_jax and the plugin's library into a wheel, and prints its path.

A wheel is a ZIP file with a list of its files; no build system is needed to write one.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import platform
import re
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "weft_jax"
REGISTRATION = f"[jax_plugins]\nweft = {NAME}\n"


def version() -> str:
    return re.search(r"^project\(weft VERSION ([\d.]+)", (HERE.parent / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def metadata() -> str:
    return f"""Metadata-Version: 2.1
Name: {NAME}
Version: {version()}
Summary: Runs JAX programs on weft, a training engine for the CPU
License: Apache-2.0
Requires-Python: >=3.10
Requires-Dist: jax>=0.7
Description-Content-Type: text/markdown

{(HERE.parent / "docs/jax.md").read_text()}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, required=True, help="libweft_pjrt.so, with weft inside")
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    flags = parser.parse_args()
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"{NAME}-{version()}.dist-info"
    files = {f"{NAME}/{path.name}": path.read_bytes() for path in sorted((HERE / NAME).glob("*.py"))}
    files[f"{NAME}/libweft_pjrt.so"] = flags.library.read_bytes()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: weft\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = REGISTRATION.encode()
    files[f"{info}/licenses/LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    files[f"{info}/RECORD"] = ("".join(lines) + f"{info}/RECORD,,\n").encode()
    flags.to.mkdir(parents=True, exist_ok=True)
    wheel = flags.to / f"{NAME}-{version()}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    print(wheel)


if __name__ == "__main__":
    main()
