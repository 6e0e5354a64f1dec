"""The function through which programs call back into Python (jax.pure_callback, io_callback, jax.debug.print).

It stands for the one in jaxlib, whose state only XLA can make.
"""

from __future__ import annotations

import ctypes
import functools
import traceback

import jax
import ml_dtypes
import numpy as np

TOKEN = 17  # orders effects, and has no elements
# XLA's numbers of element types.
DTYPES = {
    1: np.bool_, 2: np.int8, 3: np.int16, 4: np.int32, 5: np.int64, 6: np.uint8, 7: np.uint16, 8: np.uint32, 9: np.uint64,
    10: np.float16, 11: np.float32, 12: np.float64, 15: np.complex64, 16: ml_dtypes.bfloat16, 18: np.complex128,
    19: ml_dtypes.float8_e5m2, 20: ml_dtypes.float8_e4m3fn, 21: ml_dtypes.int4, 22: ml_dtypes.uint4,
    23: ml_dtypes.float8_e4m3b11fnuz, 24: ml_dtypes.float8_e5m2fnuz, 25: ml_dtypes.float8_e4m3fnuz, 26: ml_dtypes.int2,
    27: ml_dtypes.uint2, 28: ml_dtypes.float8_e4m3, 29: ml_dtypes.float8_e3m4, 32: ml_dtypes.float4_e2m1fn,
    33: ml_dtypes.float8_e8m0fnu,
}  # fmt: skip
INTERNAL = 13

HEAD = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p)]


class Buffer(ctypes.Structure):
    """An operand or a result."""

    _fields_ = (*HEAD, ("dtype", ctypes.c_int), ("data", ctypes.c_void_p), ("rank", ctypes.c_int64),
                ("dims", ctypes.POINTER(ctypes.c_int64)))  # fmt: skip

    def array(self) -> np.ndarray | None:
        """Returns the elements where they are, which is valid during the call; None for a token."""
        if self.dtype == TOKEN:
            return None
        dtype, shape = np.dtype(DTYPES[self.dtype]), self.dims[: self.rank]
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        elements = (ctypes.c_byte * size).from_address(self.data) if size else b""
        return np.frombuffer(elements, dtype).reshape(shape)


class Buffers(ctypes.Structure):
    """The operands, or the results."""

    _fields_ = (*HEAD, ("size", ctypes.c_int64), ("types", ctypes.c_void_p),
                ("buffers", ctypes.POINTER(ctypes.POINTER(Buffer))))  # fmt: skip

    def arrays(self) -> list[np.ndarray | None]:
        return [self.buffers[i].contents.array() for i in range(self.size)]


class Scalar(ctypes.Structure):
    _fields_ = (("dtype", ctypes.c_int), ("value", ctypes.POINTER(ctypes.c_uint64)))


class Attributes(ctypes.Structure):
    _fields_ = (*HEAD, ("size", ctypes.c_int64), ("types", ctypes.c_void_p), ("names", ctypes.c_void_p),
                ("values", ctypes.POINTER(ctypes.POINTER(Scalar))))  # fmt: skip


class ErrorCreate(ctypes.Structure):
    _fields_ = (*HEAD, ("message", ctypes.c_char_p), ("code", ctypes.c_int))


class ContextGet(ctypes.Structure):
    _fields_ = (*HEAD, ("context", ctypes.c_void_p), ("type", ctypes.POINTER(ctypes.c_int64)), ("data", ctypes.c_void_p))


class Api(ctypes.Structure):
    """The beginning of the table of functions that a function may call."""

    _fields_ = (*HEAD, ("version", ctypes.c_byte * 24), ("internal", ctypes.c_void_p),
                ("error_create", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ErrorCreate))),
                ("others", ctypes.c_void_p * 5),
                ("context_get", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ContextGet))))  # fmt: skip


class CallFrame(ctypes.Structure):
    _fields_ = (*HEAD, ("api", ctypes.POINTER(Api)), ("context", ctypes.c_void_p), ("stage", ctypes.c_int),
                ("operands", Buffers), ("results", Buffers), ("attributes", Attributes))  # fmt: skip


class Callbacks(ctypes.Structure):
    """What JAX attaches to a launch: its Python functions, in the order of the program."""

    _fields_ = (("functions", ctypes.POINTER(ctypes.c_void_p)),)


@functools.cache
def host() -> jax.Device:
    """Returns the device of JAX's own CPU backend."""
    return jax.local_devices(backend="cpu")[0]


def call(frame: CallFrame) -> None:
    """Calls the Python function that the attribute `index` names."""
    any_type = ctypes.c_int64(0)  # JAX attaches nothing else
    get = ContextGet(ctypes.sizeof(ContextGet), None, frame.context, ctypes.pointer(any_type), None)
    if frame.api.contents.context_get(ctypes.byref(get)):
        raise RuntimeError("JAX passed no functions of Python to the launch")
    functions = ctypes.cast(get.data, ctypes.POINTER(Callbacks)).contents.functions
    index = frame.attributes.values[0].contents.value[0]
    function = ctypes.cast(functions[index], ctypes.py_object).value
    operands = [None if array is None else array.copy() for array in frame.operands.arrays()]
    for array in operands:
        if array is not None:
            array.flags.writeable = False
    # weft's device waits for this function, so what the function computes with JAX, and waits for, must run elsewhere.
    with jax.default_device(host()):
        for result, value in zip(frame.results.arrays(), function(*operands), strict=True):
            if result is not None and result.size:
                result[...] = value


def run(pointer: ctypes.c_void_p) -> int | None:
    frame = ctypes.cast(pointer, ctypes.POINTER(CallFrame)).contents
    try:
        call(frame)
    except BaseException as error:  # noqa: BLE001: it becomes the error of the launch
        places = "\n".join(f"  {f.filename}({f.lineno}): {f.name}" for f in reversed(traceback.extract_tb(error.__traceback__)))
        message = f"CpuCallback error calling callback: {type(error).__name__}: {error}\n\nAt:\n{places}"
        made = ErrorCreate(ctypes.sizeof(ErrorCreate), None, message.encode(), INTERNAL)
        return frame.api.contents.error_create(ctypes.byref(made))
    return None


HANDLER = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(run)  # lives as long as the process
ADDRESS = ctypes.cast(HANDLER, ctypes.c_void_p).value
NAMES = ("xla_ffi_python_cpu_callback", "xla_ffi_partitioned_python_cpu_callback")
