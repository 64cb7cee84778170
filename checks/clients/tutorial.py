"""The tutorial, with a client that openapi-python-client made of the gateway's
description: python tutorial.py URL TOKEN FOLDER"""

import pathlib
import sys

from freshet_client import AuthenticatedClient
from freshet_client.api.announce import token
from freshet_client.api.ask import grep, search, status
from freshet_client.models import AnnounceRequest, ErrorReply, Filter, GrepRequest, SearchRequest


def main(url: str, key: str, garden: pathlib.Path) -> None:
    api = AuthenticatedClient(base_url=url, token=key)

    def first(query, **more):
        reply = search.sync(client=api, body=SearchRequest(query=query, k=1, **more))
        assert not isinstance(reply, ErrorReply), reply
        return reply.hits[0] if reply.hits else None

    def covering(path):
        return token.sync(client=api, body=AnnounceRequest(paths=[str(path)])).token

    state = status.sync(client=api)
    assert state.ready and state.documents == 2 and state.sources[0].source == "garden", state
    assert any(reason.startswith("secret") for reason in state.skipped.to_dict()), "the status says why .env is left out"

    hit = first("how much water after rain")
    assert (hit.path, hit.symbol, hit.line) == ("beds.py", "water_need", 4), hit
    hit = first("when do I turn the heap")
    assert (hit.path, hit.headings[-1]) == ("notes/compost.md", "Turning"), hit
    markdown = Filter(languages=["markdown"])
    assert first("ripe compost", filter_=markdown).path == "notes/compost.md"

    compost = garden / "notes" / "compost.md"
    with compost.open("a") as file:
        file.write("\n## Worms\n\nWorms come by themselves. Do not buy any.\n")
    hit = first("should I buy worms", token=covering(compost))
    assert (hit.path, hit.headings[-1]) == ("notes/compost.md", "Worms"), hit

    found = grep.sync(client=api, body=GrepRequest(pattern=r"def \w+"))
    assert [(f.path, len(f.lines)) for f in found.files] == [("beds.py", 3)], found

    compost.unlink()
    assert first("should I buy worms", filter_=markdown, token=covering(garden)) is None

    refused = grep.sync_detailed(client=api, body=GrepRequest(pattern="("))
    assert refused.status_code == 400 and refused.parsed.error.kind == "invalid_request", refused
    print("Python: the tutorial")


main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]))
