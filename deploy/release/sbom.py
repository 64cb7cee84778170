"""Writes what a program is made of, as CycloneDX 1.5: what the program itself says."""

import json
import subprocess


def write(program, version, to):
    listed = subprocess.check_output(["go", "version", "-m", program], text=True).splitlines()
    goversion = listed[0].rsplit(" ", 1)[1]
    parts = [component("stdlib", goversion, f"pkg:golang/std@{goversion.removeprefix('go')}")]
    for line in listed[1:]:
        field = line.strip().split("\t")
        if field[0] == "dep":
            parts.append(component(field[1], field[2], f"pkg:golang/{field[1]}@{field[2]}", field[3] if len(field) > 3 else ""))
    about = {"type": "application", "name": program.name, "version": version, "licenses": [{"license": {"id": "Apache-2.0"}}]}
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": about}, "components": parts}
    to.write_text(json.dumps(bill, indent=1) + "\n")


def component(name, version, purl, gosum=""):
    part = {"type": "library", "name": name, "version": version, "purl": purl, "bom-ref": purl}
    if gosum:  # as go.sum has it: of a list of files, so no hash of CycloneDX
        part["properties"] = [{"name": "go:sum", "value": gosum}]
    return part
