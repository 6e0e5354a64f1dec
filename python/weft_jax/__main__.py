"""Runs a script on weft and tells where the time of the device went: python -m weft_jax report SCRIPT [ARGUMENT...]

When the script ends, a table on the standard error output lists kinds of operations and single ones, with their Python lines.
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path


def main() -> None:
    command, *rest = sys.argv[1:] or [""]
    if command != "report" or not rest:
        sys.exit(__doc__.strip())
    script = rest[0]
    # Both are read when JAX and the plugin start.
    os.environ["WEFT_PROFILE"] = "1"
    os.environ.setdefault("JAX_PLATFORMS", "weft")
    sys.argv = rest
    sys.path[0] = str(Path(script).resolve().parent)  # as Python does for a script
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
