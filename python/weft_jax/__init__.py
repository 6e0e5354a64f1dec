"""Weft as a platform of JAX.

JAX finds this module through the entry point that the wheel declares, and calls initialize(). Programs need not import it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

LIBRARY = "libweft_pjrt.so"


def library() -> Path:
    """Returns the plugin's library: that of the environment variable WEFT_JAX_LIBRARY, or the one that lies beside this file."""
    named = os.environ.get("WEFT_JAX_LIBRARY")
    return Path(named) if named else Path(__file__).with_name(LIBRARY)


def options() -> dict[str, str | int]:
    """Returns the options of the client: unless WEFT_DEVICES says how many devices it has, as many as JAX's own CPU backend would have."""
    import jax  # noqa: PLC0415: JAX calls initialize() while it is imported itself

    # JAX decides by the platform's name which features it offers: donation, callbacks, linear algebra, its cache.
    result: dict[str, str | int] = {"platform_name": "cpu"}
    flag = re.search(r"--xla_force_host_platform_device_count=(\d+)", os.environ.get("XLA_FLAGS", ""))
    number = getattr(jax.config, "jax_num_cpu_devices", -1)
    if record := os.environ.get("WEFT_JAX_RECORD"):
        result["record"] = record
        result["tells"] = os.environ.get("WEFT_JAX_TELLS", "doctor")
    if "WEFT_DEVICES" not in os.environ and (number > 0 or flag):
        result["devices"] = number if number > 0 else int(flag[1])
    return result


def initialize() -> None:
    """Registers the platform weft, which is the default of every program unless JAX_PLATFORMS names another, or WEFT_JAX is 0."""
    if os.environ.get("WEFT_JAX", "1") == "0":
        return
    import jax  # noqa: PLC0415: JAX calls this function while it is imported itself
    from jax._src import xla_bridge  # noqa: PLC0415: there is no public name

    from weft_jax import functions  # noqa: PLC0415

    path = library()
    if not path.exists():
        raise FileNotFoundError(f"weft_jax: there is no {path}; install the wheel again, or set WEFT_JAX_LIBRARY")
    xla_bridge.register_plugin("weft", library_path=str(path), options=options)
    functions.register_all(path)
    # Functions that call back into Python ask for a device of JAX's own CPU backend.
    if jax.config.jax_platforms == "weft":
        jax.config.update("jax_platforms", "weft,cpu")
