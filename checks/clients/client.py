"""Drives the server for agents with the official SDK: client.py SERVER DATA."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time

from mcp import Client, StdioServerParameters

SERVER, DATA = sys.argv[1:]
REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
WANTS = [
    ("search", {"query": "ParseHeron", "limit": 1}, r"^parse\.go:4 ParseHeron"),
    ("grep", {"pattern": r"reeds\.$"}, r"3\| A heron stands in the reeds\."),
    ("read", {"path": "parse.go:4-4"}, r"\n4\| func ParseHeron"),
    ("outline", {"path": "parse.go"}, "ParseHeron function"),
    ("related", {"path": "parse.go:4"}, r"ParseHeron \(lines"),
    ("status", {}, "^ready: 2 documents"),
]


async def sdk(mode):
    server = StdioServerParameters(command=SERVER, args=["--data", DATA], cwd=os.getcwd(), env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        tools = await client.list_tools()
        assert sorted(t.name for t in tools.tools) == ["grep", "outline", "read", "related", "search", "status"], tools
        for name, args, want in WANTS:
            got = await client.call_tool(name, args)
            text = "".join(c.text for c in got.content)
            assert not got.is_error and re.search(want, text), (name, text)
        wrong = await client.call_tool("read", {"path": "prase.go"})
        assert wrong.is_error and "did you mean parse.go?" in wrong.content[0].text, wrong
        left = asyncio.create_task(client.call_tool("grep", {"pattern": "."}))
        await asyncio.sleep(0)
        left.cancel()
        try:
            await left
            raise AssertionError("a call that was cancelled has an answer")
        except asyncio.CancelledError:
            pass
        got = await client.call_tool("status", {})
        assert not got.is_error, got
        print(f"Python SDK, {mode}: {len(WANTS)} tools, an error and a cancellation, revision {client.protocol_version}")


def begin(revision):
    p = subprocess.Popen([SERVER, "--data", DATA], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(n, method, params):
        p.stdin.write(json.dumps({"jsonrpc": "2.0", "id": n, "method": method, "params": params}) + "\n")
        p.stdin.flush()
        answer = json.loads(p.stdout.readline())
        assert answer.get("id") == n and "result" in answer, answer
        return answer["result"]

    who = {"name": "check", "version": "1"}
    began = ask(1, "initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": who})
    assert began["protocolVersion"] == revision and began["instructions"], began
    p.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    return p, ask


def by_hand(revision):
    p, ask = begin(revision)
    for n, (name, args, want) in enumerate(WANTS, 2):
        got = ask(n, "tools/call", {"name": name, "arguments": args})
        assert re.search(want, got["content"][0]["text"]), got
    p.stdin.close()
    assert p.wait(1) == 0, "the server outlives its client"
    print(f"by hand, revision {revision}: {len(WANTS)} tools")


def memory():
    sessions = [begin(REVISIONS[-1]) for _ in range(10)]
    for what, args in [("status", {}), ("grep", {"pattern": ".", "max_tokens": 200})]:
        for _, ask in sessions:
            ask(2, "tools/call", {"name": what, "arguments": args})
        used = [int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(p.pid)])) / 1024 for p, _ in sessions]
        print(f"ten servers at once, after {what}: {min(used):.1f} to {max(used):.1f} MiB each (RSS)")
    for p, _ in sessions:
        p.stdin.close()
        assert p.wait(1) == 0, "the server outlives its client"


def orphans():
    starts = (
        "import subprocess, sys, time\n"
        "ps = [subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) for _ in range(10)]\n"
        "print(*[p.pid for p in ps], flush=True)\n"
        "time.sleep(600)\n"
    )
    client = subprocess.Popen([sys.executable, "-c", starts, SERVER, "--data", DATA], stdout=subprocess.PIPE, text=True)
    servers = [int(pid) for pid in client.stdout.readline().split()]
    client.kill()
    client.wait()
    time.sleep(1)
    left = [pid for pid in servers if runs(pid)]
    assert len(servers) == 10 and not left, left
    print("a client that was killed: none of its ten servers is left after a second")


def runs(pid):
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return state != "" and not state.startswith("Z")


for way in ["auto", "legacy"]:
    asyncio.run(sdk(way))
for each in REVISIONS:
    by_hand(each)
memory()
orphans()
