"""Counts the rows of every view of a file, and checks the file, with the sqlite3 module that Python brings."""
import json
import sqlite3
import sys

connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
views = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name")]
counts = {}
for view in views:
    counts[view] = connection.execute(f"SELECT count(*) FROM {view}").fetchone()[0]
    assert len(connection.execute(f"SELECT * FROM {view}").fetchall()) == counts[view], view
faults = [fault for (fault,) in connection.execute("PRAGMA integrity_check(3)") if fault != "ok"]
print(json.dumps({"version": sqlite3.sqlite_version, "counts": counts, "faults": faults}))
