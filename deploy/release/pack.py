"""pack.py VERSION OUT: packs what build.sh has built in OUT/build.

Archives, Debian packages, wheels, npm packages, a Homebrew formula, an image as an
OCI layout, a list of what each program is made of, checksums. Nothing is loaded, and
the same programs give the same files: their times are that of the commit.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

import sbom

VERSION, OUT = sys.argv[1], pathlib.Path(sys.argv[2])
REPO = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["freshet", "freshet-mcp"]
ABOUT = "Search code and documents that change all the time"
HOME = "https://github.com/freshet-dev/freshet"
# What each registry calls a system. A program for Linux is static, so it runs with
# any C library; Go's for macOS need macOS 12.
WHEEL = {
    "linux-amd64": "manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux-arm64": "manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin-amd64": "macosx_12_0_x86_64",
    "darwin-arm64": "macosx_12_0_arm64",
}
NPM = {"linux-amd64": ("linux", "x64"), "linux-arm64": ("linux", "arm64"), "darwin-amd64": ("darwin", "x64"), "darwin-arm64": ("darwin", "arm64")}
TIME = int(subprocess.check_output(["git", "-C", REPO, "log", "-1", "--format=%ct"]))


def tar(files, to):
    """Writes {name: (bytes, mode)} as a .tar.gz, always the same."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as t:
        for name, (data, mode) in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(data), mode, TIME
            t.addfile(info, io.BytesIO(data))
    to.write_bytes(gzip.compress(raw.getvalue(), 6, mtime=TIME))
    return raw.getvalue()


def programs(system):
    return {name: ((OUT / "build" / system / name).read_bytes(), 0o755) for name in PROGRAMS}


def texts():
    return {name: ((REPO / name).read_bytes(), 0o644) for name in ["LICENSE", "NOTICE", "README.md"]}


def archive(system):
    folder = f"freshet-{VERSION}-{system}"
    tar({f"{folder}/{n}": f for n, f in {**programs(system), **texts()}.items()}, OUT / f"{folder}.tar.gz")


def debian(system):
    arch = system.split("-")[1]
    version = VERSION.replace("-", "~")
    root = OUT / "build" / f"deb-{arch}"
    shutil.rmtree(root, ignore_errors=True)
    files = {f"usr/bin/{n}": f for n, f in programs(system).items()}
    files |= {f"usr/share/doc/freshet/{n}": (texts()[f][0], 0o644) for n, f in [("copyright", "LICENSE"), ("NOTICE", "NOTICE")]}
    size = sum(len(data) for data, _ in files.values()) // 1024
    control = (
        f"Package: freshet\nVersion: {version}\nArchitecture: {arch}\nSection: utils\nPriority: optional\n"
        f"Maintainer: the freshet authors <freshet@users.noreply.github.com>\nInstalled-Size: {size}\nRecommends: git\nHomepage: {HOME}\n"
        f"Description: {ABOUT}\n freshet keeps an index of folders and git repositories in step with them,\n and answers questions on the command line, over NATS and to agents.\n"
    )
    files["DEBIAN/control"] = (control.encode(), 0o644)
    for name, (data, mode) in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        path.write_bytes(data)
        path.chmod(mode)
    env = {**os.environ, "SOURCE_DATE_EPOCH": str(TIME)}
    subprocess.run(["dpkg-deb", "-Zgzip", "--root-owner-group", "--build", root, OUT / f"freshet_{version}_{arch}.deb"], check=True, stdout=subprocess.DEVNULL, env=env)
    shutil.rmtree(root)


def wheel(system):
    version = VERSION.replace("-dev", ".dev0")  # PEP 440
    info, tag = f"freshet-{version}.dist-info", f"py3-none-{WHEEL[system]}"
    files = {f"freshet-{version}.data/scripts/{n}": f for n, f in programs(system).items()}
    files[f"{info}/licenses/LICENSE"] = texts()["LICENSE"]
    files[f"{info}/licenses/NOTICE"] = texts()["NOTICE"]
    about = f"Metadata-Version: 2.4\nName: freshet\nVersion: {version}\nSummary: {ABOUT}\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\nLicense-File: NOTICE\nProject-URL: Homepage, {HOME}\nRequires-Python: >=3.8\n"
    files[f"{info}/METADATA"] = (about.encode(), 0o644)
    tags = "".join(f"Tag: py3-none-{t}\n" for t in WHEEL[system].split("."))
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: freshet\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644)
    record = ""
    for name, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)
    with zipfile.ZipFile(OUT / f"freshet-{version}-{tag}.whl", "w", zipfile.ZIP_DEFLATED) as z:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            z.writestr(entry, data)


def npm(systems):
    common = {"version": VERSION, "description": ABOUT, "license": "Apache-2.0", "homepage": HOME, "repository": {"type": "git", "url": f"git+{HOME}.git"}}

    def package(about, files, to):
        files["package.json"] = (json.dumps(about, indent=2).encode() + b"\n", 0o644)
        tar({f"package/{n}": f for n, f in {**files, "LICENSE": texts()["LICENSE"], "NOTICE": texts()["NOTICE"]}.items()}, OUT / to)

    parts = {}
    for system in systems:
        os_, cpu = NPM[system]
        name = f"@freshet-dev/freshet-{os_}-{cpu}"
        parts[name] = VERSION
        files = {f"bin/{n}": f for n, f in programs(system).items()}
        package({"name": name, **common, "os": [os_], "cpu": [cpu], "files": ["bin"]}, files, f"freshet-dev-freshet-{os_}-{cpu}-{VERSION}.tgz")
    shim = (pathlib.Path(__file__).parent / "npm.js").read_bytes()
    about = {"name": "freshet", **common, "bin": {"freshet": "bin/freshet.js"}, "files": ["bin"], "engines": {"node": ">=16"}, "optionalDependencies": parts}
    package(about, {"bin/freshet.js": (shim, 0o755)}, f"freshet-{VERSION}.tgz")


def brew(systems):
    def sum_of(system):
        return hashlib.sha256((OUT / f"freshet-{VERSION}-{system}.tar.gz").read_bytes()).hexdigest()

    blocks = ""
    for os_, word in [("darwin", "macos"), ("linux", "linux")]:
        inner = ""
        for arch, cpu in [("arm64", "arm"), ("amd64", "intel")]:
            system = f"{os_}-{arch}"
            if system in systems:
                inner += f'    on_{cpu} do\n      url "{HOME}/releases/download/v{VERSION}/freshet-{VERSION}-{system}.tar.gz"\n      sha256 "{sum_of(system)}"\n    end\n'
        if inner:
            blocks += f"  on_{word} do\n{inner}  end\n"
    (OUT / "freshet.rb").write_text(
        f'# Made by `make release`, and not run: there was no Homebrew.\nclass Freshet < Formula\n  desc "{ABOUT}"\n  homepage "{HOME}"\n  version "{VERSION}"\n  license "Apache-2.0"\n'
        f'{blocks}\n  def install\n    bin.install "freshet", "freshet-mcp"\n  end\n\n  test do\n    assert_match version.to_s, shell_output("#{{bin}}/freshet --version")\n  end\nend\n'
    )


def image(systems):
    """One layer over nothing: the programs are static, and need no other file."""
    root = OUT / "image"
    shutil.rmtree(root, ignore_errors=True)
    blobs = root / "blobs" / "sha256"
    blobs.mkdir(parents=True)

    def blob(kind, data):
        digest = hashlib.sha256(data).hexdigest()
        (blobs / digest).write_bytes(data)
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(data)}

    manifests = []
    for system in systems:
        os_, arch = system.split("-")
        layer = root / "layer"
        raw = tar({f"usr/bin/{n}": f for n, f in programs(system).items()}, layer)
        config = {
            "architecture": arch, "os": os_, "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(raw).hexdigest()]},
            "config": {"Entrypoint": ["/usr/bin/freshet"], "Env": ["PATH=/usr/bin", "XDG_STATE_HOME=/state"], "User": "65532:65532", "Volumes": {"/state": {}}},
        }
        manifest = {
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": blob("application/vnd.oci.image.config.v1+json", json.dumps(config).encode()),
            "layers": [blob("application/vnd.oci.image.layer.v1.tar+gzip", layer.read_bytes())],
        }
        layer.unlink()
        manifests.append({**blob(manifest["mediaType"], json.dumps(manifest).encode()), "platform": {"os": os_, "architecture": arch}, "annotations": {"org.opencontainers.image.ref.name": VERSION}})
    (root / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    (root / "index.json").write_text(json.dumps({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": manifests}))


def main():
    systems = sorted(p.name for p in (OUT / "build").iterdir())
    for old in OUT.glob("*"):
        if old.is_file():
            old.unlink()
    for system in systems:
        archive(system)
        wheel(system)
        if system.startswith("linux"):
            debian(system)
        for program in PROGRAMS:
            sbom.write(OUT / "build" / system / program, VERSION, OUT / f"{program}-{VERSION}-{system}.cdx.json")
    npm(systems)
    brew(systems)
    image([s for s in systems if s.startswith("linux")])
    files = sorted(p for p in OUT.glob("*") if p.is_file())
    sums = "".join(f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in files)
    (OUT / "SHA256SUMS").write_text(sums)
    for p in files:
        print(f"{p.stat().st_size / 1e6:7.1f} MB  {p.name}")


main()
