"""Attaches a file to DuckDB, which brings SQLite 3.38 and reads views in its own way: the types of every view, and whether its rows are SQLite's."""
import json
import os
import sqlite3
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
connection.execute("SET disabled_optimizers = 'common_subplan'")
sqlite = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)


def plain(rows):
    """Rows in an order of their own. What is above 2^63 is text in both; below, DuckDB has text where SQLite has a number."""
    return sorted([[str(int(cell) if isinstance(cell, bool) else cell) for cell in row] for row in rows])


counts, types = {}, {}
for view in sys.argv[2:]:
    assert view in shown, view
    counts[view] = connection.execute(f"SELECT count(*) FROM night.{view}").fetchone()[0]
    relation = connection.sql(f"SELECT * FROM night.{view}")
    types[view] = {column: str(kind) for column, kind in zip(relation.columns, relation.types)}
    rows = relation.fetchall()
    assert plain(rows) == plain(sqlite.execute(f"SELECT * FROM {view}").fetchall()), view
(version,) = connection.execute("SELECT * FROM sqlite_query('night', 'SELECT sqlite_version()')").fetchone()
print(json.dumps({"sqlite": version, "counts": counts, "types": types}))
