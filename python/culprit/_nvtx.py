# SPDX-License-Identifier: Apache-2.0
"""NVTX ranges without a library of NVTX: speaks to the tool that NVTX_INJECTION64_PATH names, as NVIDIA's header does.

Without such a tool, nothing is marked, and marking costs nothing.
"""
import ctypes
import os
import threading

# From nvtx3/nvtxDetail/nvtxTypes.h. The sizes count the unused entry 0.
_CALLBACKS, _VERSION_INFO = 1, 3
_MODULE_SIZES = {1: 16, 2: 9, 3: 15, 4: 7, 5: 16, 6: 7}
_CORE, _RANGE_PUSH_A, _RANGE_POP = 1, 9, 11
_NVTX_VERSION = 3

_TABLE = ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p))
_GetModuleFunctionTable = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(_TABLE),
                                           ctypes.POINTER(ctypes.c_uint))
_SetVersion = ctypes.CFUNCTYPE(None, ctypes.c_uint32)
_GetExportTable = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)


class _Callbacks(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("get_module_function_table", _GetModuleFunctionTable)]


class _VersionInfo(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("version", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("set_version", _SetVersion)]


class _Client:
    """Has a slot for each function of NVTX. The tool writes its functions into the slots that it wants to hear of."""

    def __init__(self, tool):
        self._slots = {module: (ctypes.c_void_p * size)() for module, size in _MODULE_SIZES.items()}
        # A table ends with a null pointer, which its size does not count.
        self._tables = {module: (ctypes.POINTER(ctypes.c_void_p) * (size + 1))() for module, size in _MODULE_SIZES.items()}
        for module, slots in self._slots.items():
            for at in range(1, len(slots)):
                address = ctypes.addressof(slots) + at * ctypes.sizeof(ctypes.c_void_p)
                self._tables[module][at] = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))
        # The tool keeps pointers to all of these, so they live as long as the client.
        self._get_table = _GetModuleFunctionTable(self._table_of)
        self._set_version = _SetVersion(lambda version: None)
        self._get_export = _GetExportTable(self._export)
        self._callbacks = _Callbacks(ctypes.sizeof(_Callbacks), self._get_table)
        self._version = _VersionInfo(ctypes.sizeof(_VersionInfo), _NVTX_VERSION, 0, self._set_version)
        self._library = ctypes.CDLL(tool)
        begin = self._library.InitializeInjectionNvtx2
        begin.argtypes, begin.restype = [_GetExportTable], ctypes.c_int
        self.works = begin(self._get_export) != 0
        core = self._slots[_CORE]
        self.push = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)(core[_RANGE_PUSH_A] or 0)
        self.pop = ctypes.CFUNCTYPE(ctypes.c_int)(core[_RANGE_POP] or 0)
        self.works = self.works and bool(core[_RANGE_PUSH_A]) and bool(core[_RANGE_POP])

    def _table_of(self, module, table, size):
        if module not in self._tables:
            return 0
        if table:
            table[0] = ctypes.cast(self._tables[module], _TABLE)
        if size:
            size[0] = _MODULE_SIZES[module]
        return 1

    def _export(self, which):
        found = {_CALLBACKS: self._callbacks, _VERSION_INFO: self._version}.get(which)
        return None if found is None else ctypes.addressof(found)


_client = None
_begun = False
_lock = threading.Lock()


def _tool():
    global _client, _begun
    with _lock:
        if not _begun:
            _begun = True
            path = os.environ.get("NVTX_INJECTION64_PATH")
            try:
                client = _Client(path) if path else None
            except (OSError, AttributeError):  # no such library, or it is no tool for NVTX
                client = None
            _client = client if client and client.works else None
    return _client


class annotate:
    """A range around launches, as a context manager or a decorator: `with culprit.annotate("softmax"): ...`.

    A recording keeps launches of different ranges apart (`nvtx` in its tables).
    """

    def __init__(self, name):
        self.name = str(name)

    def __enter__(self):
        tool = _tool()
        if tool is not None:
            tool.push(self.name.encode(errors="replace"))
        return self

    def __exit__(self, *failure):
        tool = _tool()
        if tool is not None:
            tool.pop()
        return False

    def __call__(self, function):
        import functools

        @functools.wraps(function)
        def annotated(*args, **kwargs):
            with annotate(self.name):
                return function(*args, **kwargs)

        return annotated


def letters(text):
    """A short name of `text` without digits, because culprit takes ranges that differ in digits alone for one."""
    import hashlib

    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:5], "big")
    found = ""
    for _ in range(8):
        number, rest = divmod(number, 26)
        found += chr(ord("a") + rest)
    return found
