"""Attaches a file to DuckDB, which brings SQLite 3.38 and reads views in its own way, and counts the rows of every view."""
import json
import os
import sys

import duckdb
import duckdb_extension_sqlite_scanner as scanner

connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
for folder, _, names in os.walk(scanner.__path__[0]):
    for name in names:
        if name.endswith(".duckdb_extension"):
            connection.execute(f"LOAD '{os.path.join(folder, name)}'")
connection.execute(f"ATTACH '{sys.argv[1]}' AS night (TYPE sqlite, READ_ONLY)")
connection.execute("SHOW ALL TABLES").fetchall()
listed = "SELECT table_name FROM information_schema.tables WHERE table_catalog = 'night'"
shown = {name for (name,) in connection.execute(listed).fetchall()}
counts = {}
for view in sys.argv[2:]:
    assert view in shown, view
    counts[view] = connection.execute(f"SELECT count(*) FROM night.{view}").fetchone()[0]
    assert len(connection.execute(f"SELECT * FROM night.{view}").fetchall()) == counts[view], view
(version,) = connection.execute("SELECT * FROM sqlite_query('night', 'SELECT sqlite_version()')").fetchone()
print(json.dumps({"sqlite": version, "counts": counts}))
