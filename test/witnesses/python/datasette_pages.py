"""Opens a file with Datasette and asks for the page of every view, as people see it and as JSON."""
import asyncio
import json
import sys

from datasette.app import Datasette

path, metadata, *views = sys.argv[1:]


async def ask():
    # By itself it gives up after a second, which a busy machine needs.
    datasette = Datasette([path], metadata=json.load(open(metadata)) if metadata else None, settings={"sql_time_limit_ms": 60_000})
    await datasette.invoke_startup()
    answer = {}
    for view in views:
        page = await datasette.client.get(f"/night/{view}")
        rows = await datasette.client.get(f"/night/{view}.json?_shape=array&_size=max")
        assert (page.status_code, rows.status_code) == (200, 200), (view, page.text[:1000])
        answer[view] = {"rows": len(rows.json()), "page": page.text}
    home = await datasette.client.get("/night")
    tables = (await datasette.client.get("/night.json")).json()["tables"]
    print(json.dumps({"views": answer, "home": home.text, "shown": [one["name"] for one in tables if not one["hidden"]]}))


asyncio.run(ask())
