#!/usr/bin/env python3
"""macho.py CPU FILE: checks that FILE is an executable for a Mac with that CPU which needs only libSystem."""
import struct
import sys

CPUS = {0x0100000C: "aarch64", 0x01000007: "x86_64"}
EXECUTABLE = 2
LOAD_DYLIB = {0x0C, 0x80000018, 0x8000001F}
CODE_SIGNATURE = 0x1D
BUILD_VERSION = 0x32


def main() -> int:
    cpu, name = sys.argv[1:]
    with open(name, "rb") as file:
        data = file.read()
    magic, kind, _, file_type, count, _, _, _ = struct.unpack_from("<8I", data)
    if magic != 0xFEEDFACF:
        print(f"{name}: not a 64-bit Mach-O file")
        return 1
    libraries, signed, oldest = [], False, "unknown"
    offset = 32
    for _ in range(count):
        command, size = struct.unpack_from("<2I", data, offset)
        if command in LOAD_DYLIB:
            start = offset + struct.unpack_from("<I", data, offset + 8)[0]
            libraries.append(data[start : offset + size].split(b"\0")[0].decode())
        elif command == CODE_SIGNATURE:
            signed = True
        elif command == BUILD_VERSION:
            version = struct.unpack_from("<I", data, offset + 12)[0]
            oldest = f"{version >> 16}.{version >> 8 & 255}"
        offset += size
    problems = []
    if CPUS.get(kind) != cpu:
        problems.append(f"is for {CPUS.get(kind, hex(kind))}, not {cpu}")
    if file_type != EXECUTABLE:
        problems.append("is no executable")
    if libraries != ["/usr/lib/libSystem.B.dylib"]:
        problems.append(f"needs {libraries}")
    if cpu == "aarch64" and not signed:
        problems.append("has no signature, which Apple silicon wants")
    for problem in problems:
        print(f"{name}: {problem}")
    if not problems:
        print(f"{name}: {cpu}, macOS {oldest} or newer, {len(data)} bytes, needs only libSystem")
    return 1 if problems else 0


sys.exit(main())
