# An analyst's first hour: a file, questions in SQL, DuckDB and pandas, a chart. Needs $PYTHON with duckdb, pandas and matplotlib.
set -eu
cd "$HOME"

movedex demo > demo.txt
movedex cookbook > recipes.txt
movedex query "SELECT module, count(*) AS functions FROM functions_latest GROUP BY module ORDER BY module" --db movedex-demo.db --format csv > functions.csv
movedex export tables --format parquet --at latest --db movedex-demo.db

"$PYTHON" - <<'PYTHON'
import json, os, sqlite3
import duckdb
import duckdb_extension_sqlite_scanner as scanner
import matplotlib
import pandas

matplotlib.use("Agg")

# The file itself, attached. On a machine with a network: INSTALL sqlite; LOAD sqlite.
duck = duckdb.connect(config={"allow_unsigned_extensions": "true"})
for folder, _, names in os.walk(scanner.__path__[0]):
    for name in names:
        if name.endswith(".duckdb_extension"):
            duck.execute(f"LOAD '{os.path.join(folder, name)}'")
duck.execute("ATTACH 'movedex-demo.db' AS night (TYPE sqlite)")
attached = duck.sql("SELECT module, count(*) AS functions FROM night.functions_latest GROUP BY module ORDER BY module").df()

# The export.
exported = duck.sql("SELECT module, count(*) AS functions FROM 'tables/*/functions_at.parquet' GROUP BY module ORDER BY module").df()

# pandas over the file.
frame = pandas.read_sql("SELECT module, is_entry FROM functions_latest", sqlite3.connect("file:movedex-demo.db?mode=ro", uri=True))
counted = frame.groupby("module").size()

axes = counted.sort_values().plot.barh(xlabel="functions", title="Functions by module")
axes.figure.savefig("functions.png")
json.dump({
    "attached": dict(zip(attached.module, map(int, attached.functions))),
    "exported": dict(zip(exported.module, map(int, exported.functions))),
    "pandas": {module: int(n) for module, n in counted.items()},
}, open("answers.json", "w"))
PYTHON
