"""parts.py PROGRAM: what each part of a program for Linux takes, which still has its
symbols: what was compiled of each module or grammar, and what is embedded."""

import collections
import struct
import subprocess
import sys

OURS = "github.com/freshet-dev/freshet/"


def part(symbol):
    """The module or package that a symbol of Go comes from; a symbol of C has no dot."""
    symbol = symbol.replace("%2e", ".")
    name = symbol.removeprefix("type:.eq.").removeprefix("go:itab.").lstrip("*")
    if symbol.startswith(("runtime.findfunctab", "go:func", "gclocals", "runtime.gcbits", "runtime.epclntab")):
        return "what is live where, for the collector"
    if symbol.startswith(("go:string", "type:", "runtime.types", "go:itab", "go:interface", "runtime.rodata")):
        return "types and strings"
    if "/" not in name and "." not in name:
        return "C: grammars and runtime of tree-sitter, libc"
    if name.startswith(OURS):
        return "freshet: " + "/".join(name.removeprefix(OURS).split("/")[:3]).split(".")[0]
    head = name.split("/")
    if "." not in head[0] or len(head) == 1:
        return "Go's library"
    return "/".join([*head[:2], *(h.split(".")[0] for h in head[2:3])])


def sections(program):
    """Of each section of the file that is loaded: name, first address, size."""
    data = open(program, "rb").read()
    at, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    heads = [struct.unpack_from("<IIQQQQ", data, at + i * size) for i in range(count)]
    text = heads[names][4]
    for name, kind, flags, address, _, length in heads:
        if flags & 2 and kind != 8:  # it is loaded, and is not only zeros
            start = text + name
            yield data[start : data.index(b"\0", start)].decode(), address, length


def main(program):
    loaded = list(sections(program))
    total, parts = sum(length for _, _, length in loaded), collections.Counter()
    for name, _, length in loaded:
        if name == ".gopclntab":
            parts["where each instruction is in the source, for stacks"] = length
    tables = [(a, a + n) for name, a, n in loaded if name == ".gopclntab"]
    for line in subprocess.check_output(["go", "tool", "nm", "-size", program], text=True, errors="replace").splitlines():
        field = line.split(None, 3)
        if len(field) < 4 or not field[1].isdigit():
            continue
        address = int(field[0], 16)
        inside = any(a <= address < a + n for _, a, n in loaded)
        if inside and not any(a <= address < b for a, b in tables):
            parts[part(field[3])] += int(field[1])
    print(f"{'MB':>7}  part of {program}")
    small = total - sum(size for size in parts.values() if size >= 200_000)
    for name, size in parts.most_common():
        if size >= 200_000:
            print(f"{size / 1e6:7.1f}  {name}")
    print(f"{small / 1e6:7.1f}  parts below 0.2 MB, types, strings and what has no name\n{total / 1e6:7.1f}  in all, without symbols and debugging information")


main(sys.argv[1])
