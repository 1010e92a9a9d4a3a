"""Matrix tiles (AMX) for training on machines whose hypervisor hides their description.

Some virtual machines pass the AMX instructions through but mask the CPUID leaf that describes the tiles. oneDNN then
reads "no tiles" and configures an empty palette, and the first bfloat16 product dies of an illegal instruction. The
values it failed to read are the same on every processor with AMX (palette 1: eight tiles of 16 rows of 64 bytes), so
`enable` writes them where oneDNN looks for them, in this process only. Products run about ten times faster with it.
Where nothing is hidden, or there is no AMX at all, nothing is touched.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

ANSWERS = {
    "get_max_palette": 1,
    "get_target_palette": 1,
    "get_max_tiles": 8,
    "get_max_column_bytes": 64,
    "get_max_rows": 16,
}
PERMISSION_CALL, REQUEST_PERMISSION, TILE_DATA = 158, 0x1023, 18


def enable() -> bool:
    """True when bfloat16 products may use tiles; otherwise oneDNN has been told to keep to plain AVX-512."""
    flags = Path("/proc/cpuinfo").read_text().split() if Path("/proc/cpuinfo").exists() else []
    if "amx_bf16" not in flags:
        return False
    if not _description_hidden():
        return True
    if shutil.which("nm") is None or ctypes.CDLL(None).syscall(PERMISSION_CALL, REQUEST_PERMISSION, TILE_DATA) != 0:
        os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX512_CORE_BF16"
        return False
    _patch()
    return True


def working_type() -> torch.dtype:
    """What the networks compute in: without half-precision products in the processor, bfloat16 is many times slower."""
    import torch

    flags = Path("/proc/cpuinfo").read_text().split() if Path("/proc/cpuinfo").exists() else []
    return torch.bfloat16 if {"amx_bf16", "avx512_bf16"} & set(flags) else torch.float32


def _description_hidden() -> bool:
    """Whether CPUID leaf 1DH, which describes the tiles, lies beyond the highest leaf the machine reports."""
    code = bytes.fromhex("53 31c0 31c9 0fa2 5b c3".replace(" ", ""))  # push rbx; eax=ecx=0; cpuid; pop rbx; ret
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    highest = ctypes.CFUNCTYPE(ctypes.c_uint32)(address)()
    return highest < 0x1D


def _patch() -> None:
    import torch

    library = Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"
    base = _load_address(library)
    listing = subprocess.run(["nm", "-C", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    for line in listing.stdout.splitlines():
        address, _, name = line.partition(" ")
        for function, value in ANSWERS.items():
            if name.startswith(f"t dnnl::impl::cpu::x64::amx::{function}(") and not name.endswith("]"):
                _write(base + int(address, 16), b"\xb8" + value.to_bytes(4, "little") + b"\xc3")  # mov eax, value; ret


def _load_address(library: Path) -> int:
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith(str(library.resolve())):
            return int(line.split("-")[0], 16)
    raise RuntimeError(f"{library} is not loaded")


def _write(address: int, code: bytes) -> None:
    page = address & ~(mmap.PAGESIZE - 1)
    size = address + len(code) - page
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    everything = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    if libc.mprotect(page, size, everything) != 0:
        raise OSError(ctypes.get_errno(), "mprotect refused")
    ctypes.memmove(address, code, len(code))
    libc.mprotect(page, size, mmap.PROT_READ | mmap.PROT_EXEC)
