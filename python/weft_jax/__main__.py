"""Runs a script on weft and tells what it did: python -m weft_jax COMMAND SCRIPT [ARGUMENT...]

report   where the time of the device went: kinds of operations and single ones, with their Python lines
doctor   what cost time and could be avoided, the most expensive first: functions that were compiled again, states that are not
         donated, arrays that are copied in every call, gaps on the device; writes a page with all operations to weft-profile/

explain  the program that took the most time, as it was compiled: its operations and fusions, with their Python lines and the origin
         of each dimension

They are printed on the standard error output when the script ends.
"""

from __future__ import annotations

import os
import runpy
import sys
import time
from pathlib import Path


def main() -> None:
    command, *rest = sys.argv[1:] or [""]
    if command not in ("report", "doctor", "explain") or not rest:
        sys.exit(__doc__.strip())
    script = rest[0]
    # These are read when JAX and the plugin start.
    if command == "report":
        os.environ["WEFT_PROFILE"] = "1"
    else:
        folder = Path("weft-profile") / f"{Path(script).stem}-{time.strftime('%Y%m%d-%H%M%S')}"
        os.environ["WEFT_JAX_RECORD"] = str(folder)
        os.environ["WEFT_JAX_TELLS"] = command
    os.environ.setdefault("JAX_PLATFORMS", "weft")
    sys.argv = rest
    sys.path[0] = str(Path(script).resolve().parent)  # as Python does for a script
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
