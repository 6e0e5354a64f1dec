"""Gives weft the functions that JAX registers for its CPU backend: LAPACK, calls back into Python, and those of jax.ffi."""

from __future__ import annotations

import ctypes
import logging
from pathlib import Path
from typing import Any

from weft_jax import callback

LOGGER = logging.getLogger(__name__)
TYPED = 1  # the version of XLA's interface of foreign functions that weft has
FFI_EXTENSION = 5


class Extension(ctypes.Structure):
    """The beginning of every extension of the plugin interface, and what follows it in the one for foreign functions."""


Extension._fields_ = [
    ("struct_size", ctypes.c_size_t),
    ("type", ctypes.c_int),
    ("next", ctypes.POINTER(Extension)),
    ("register_type", ctypes.c_void_p),
    ("add_user_data", ctypes.c_void_p),
    ("register_handler", ctypes.c_void_p),
]


class Api(ctypes.Structure):
    """The beginning of the plugin's table of functions."""

    _fields_ = (("struct_size", ctypes.c_size_t), ("extensions", ctypes.POINTER(Extension)))


class Registration(ctypes.Structure):
    """The arguments of register_handler."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("target_name", ctypes.c_char_p),
        ("target_name_size", ctypes.c_size_t),
        ("api_version", ctypes.c_int),
        ("handler", ctypes.c_void_p),
        ("platform_name", ctypes.c_char_p),
        ("platform_name_size", ctypes.c_size_t),
    )


def pointer_in(capsule: Any) -> int:
    """Returns the address that a PyCapsule holds."""
    name, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, name(capsule))


class Registry:
    """Registers functions with the plugin."""

    def __init__(self, library: Path) -> None:
        get_api = ctypes.CDLL(str(library)).GetPjrtApi  # the library is loaded once in a process
        get_api.restype = ctypes.POINTER(Api)
        extension = get_api().contents.extensions
        while extension and extension.contents.type != FFI_EXTENSION:
            extension = extension.contents.next
        function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Registration))
        self._register = function(extension.contents.register_handler)

    def add(self, name: str, function: Any, api_version: int) -> None:
        """Registers a capsule, or a dictionary of capsules by stage of which weft knows only `execute`."""
        stages = function if isinstance(function, dict) else {"execute": function}
        if api_version != TYPED or set(stages) != {"execute"}:
            LOGGER.debug("weft cannot call the function %s: it is not typed, or has stages before it executes", name)
        elif name not in callback.NAMES:
            self.add_address(name, pointer_in(stages["execute"]))

    def add_address(self, name: str, address: int) -> None:
        target = name.encode()
        arguments = Registration(ctypes.sizeof(Registration), target, len(target), TYPED, address, b"cpu", 3)
        if self._register(ctypes.byref(arguments)):
            LOGGER.warning("weft cannot register the function %s", name)


def register_all(library: Path) -> None:
    """Registers the functions that JAX has registered for the CPU until now, and those that come."""
    from jaxlib import xla_client  # noqa: PLC0415: after JAX was imported

    registry = Registry(library)
    for name in callback.NAMES:
        registry.add_address(name, callback.ADDRESS)
    for name, function in xla_client.custom_call_targets("Host").items():
        registry.add(name, function, TYPED)

    def for_both(name: str, function: Any, platform: str, api_version: int, *traits: Any) -> None:
        xla_client._xla.register_custom_call_target(name, function, platform, api_version, *traits)
        registry.add(name, function, api_version)

    xla_client._custom_callback_handler.pop("Host", None)
    xla_client.register_custom_call_handler("cpu", for_both)
