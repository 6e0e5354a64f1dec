"""Lets MKL use AVX-512 on every processor that has it.

PyTorch's wheels multiply f32 and f64 matrices with MKL, which keeps its AVX-512 kernels for processors made by Intel:
on others it runs at half the speed of oneDNN. The usual remedy is to override MKL's check of the processor, with a symbol
that is found before its own.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ANSWER = "int mkl_serv_intel_cpu_true(void) { return 1; }\n"


def open_avx512() -> str:
    """Call before torch is imported. Returns a short description of the result."""
    if os.environ.get("WEFT_PEERS_STOCK_MKL"):
        return "stock"
    processor = Path("/proc/cpuinfo").read_text()
    if "GenuineIntel" in processor or "avx512f" not in processor:
        return "stock"
    with tempfile.TemporaryDirectory() as directory:
        library = Path(directory) / "libanswer.so"
        compiler = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)]
        try:
            subprocess.run(compiler, input=ANSWER, text=True, check=True, capture_output=True)
            ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"note: MKL stays without AVX-512, half as fast: {error}", file=sys.stderr)
            return "stock"
    return "avx512"
