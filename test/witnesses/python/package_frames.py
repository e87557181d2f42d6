"""What the installed package `movedex` says of a database, in pandas and in polars: rows of each view, and some values with their types."""
import json
import sys

import movedex

answer = {"file": movedex.__file__}
for frames in ("pandas", "polars"):
    with movedex.open(sys.argv[1], frames=frames) as archive:
        functions = archive.functions_latest
        assert set(functions["name"]) == set(archive.frame("functions_latest")["name"])
        answer[frames] = {
            "rows": {view: len(archive.frame(view)) for view in archive.views},
            "types": {column: str(functions[column].dtype) for column in ("ledger_version", "name", "is_entry")},
            "entries": sorted(set(functions.filter(functions["is_entry"])["name"] if frames == "polars" else functions[functions.is_entry].name)),
            "sequence_numbers": sorted(str(number) for number in archive.accounts_at["sequence_number"]),
            "first": str(archive.snapshots["created_at"][0].tzinfo),
            "at": len(archive.frame("functions_at", at=int(functions["ledger_version"].max()))),
            "query": [int(n) for n in archive.query("SELECT count(*) AS n FROM functions_latest")["n"]],
            "meaning": archive.meaning("functions_latest")["is_entry"],
        }
        for wrong, error in (
            (lambda: archive.no_such_view, AttributeError),
            (lambda: archive.frame("pins; DROP"), ValueError),
            (lambda: archive.query("DELETE FROM _pins"), Exception),
            # A frame has one column of a name: the other would be lost.
            (lambda: archive.query("SELECT 1 AS name, 2 AS name"), ValueError),
        ):
            try:
                wrong()
            except error:
                continue
            raise AssertionError("it was not refused")
for wrong, error in (("nowhere.db", FileNotFoundError), (__file__, ValueError)):
    try:
        movedex.open(wrong)
    except error:
        continue
    raise AssertionError(f"{wrong} was opened")
print(json.dumps(answer))
