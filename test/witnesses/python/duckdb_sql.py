"""Runs statements in DuckDB with its scanner of SQLite files, in a folder; prints the rows of the last one."""
import json
import os
import sys

import duckdb
import duckdb_extension_sqlite_scanner as scanner

os.chdir(sys.argv[1])
connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": 1})
for folder, _, names in os.walk(scanner.__path__[0]):
    for name in names:
        if name.endswith(".duckdb_extension"):
            connection.execute(f"LOAD '{os.path.join(folder, name)}'")
print(json.dumps(connection.execute(sys.argv[2]).fetchall()))
