"""Asks questions of an archive with a program that analysts use. From stdin {"file", "tables", "questions": [{"name", "sql", "u64"}]},
to stdout what each has answered: types of columns where the program says them, and rows of cells, each with the letter of what it is
(i, t, b, m for a moment, n for a number of 64 bits)."""
import asyncio
import importlib
import json
import os
import sys
from datetime import datetime
from decimal import Decimal

asked = json.load(sys.stdin)
sqlite3 = importlib.import_module("pysqlite3" if sys.argv[1] == "pysqlite3" else "sqlite3")
connection = sqlite3.connect(f"file:{asked['file']}?mode=ro", uri=True)


def cell(value, kind=None):
    if isinstance(value, str):
        return "t:" + value
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "b:" + str(int(value))
    if isinstance(value, datetime):
        return "m:" + value.isoformat(timespec="milliseconds").replace("+00:00", "") + "Z"
    if value is None or type(value).__name__ == "NAType":
        return None
    if isinstance(value, float):
        return "f:" + str(value)
    return (kind or ("n" if isinstance(value, Decimal) else "i")) + ":" + str(int(value))


def sqlite(question):
    return [[cell(value) for value in row] for row in connection.execute(question["sql"])]


def pandas(question):
    import pandas

    frame = pandas.read_sql(question["sql"], connection, dtype_backend="numpy_nullable", dtype={name: "UInt64" for name in question["u64"]})
    kinds = ["n" if str(kind) == "UInt64" else None for kind in frame.dtypes]
    return [[cell(value, kind) for value, kind in zip(row, kinds)] for row in frame.astype(object).itertuples(index=False)]


def polars(question):
    import polars

    types = {name: polars.UInt64 for name in question["u64"]}
    frame = polars.read_database(question["sql"], connection, infer_schema_length=None, schema_overrides=types)
    kinds = ["n" if kind == polars.UInt64 else None for kind in frame.dtypes]
    return [[cell(value, kind) for value, kind in zip(row, kinds)] for row in frame.rows()]


def datasette():
    from datasette.app import Datasette

    # By itself it gives up after a second, which a busy machine needs.
    program = Datasette([asked["file"]], settings={"sql_time_limit_ms": 60_000})
    loop = asyncio.new_event_loop()
    loop.run_until_complete(program.invoke_startup())

    def ask(question):
        answer = loop.run_until_complete(program.client.get("/night.json", params={"sql": question["sql"], "_shape": "arrays"}))
        assert answer.status_code == 200, answer.text
        return [[cell(value) for value in row] for row in answer.json()["rows"]]

    return ask


def attached():
    import duckdb
    import duckdb_extension_sqlite_scanner as scanner

    opened = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    for folder, _, names in os.walk(scanner.__path__[0]):
        for name in names:
            if name.endswith(".duckdb_extension"):
                opened.execute(f"LOAD '{os.path.join(folder, name)}'")
    opened.execute(f"ATTACH '{asked['file']}' AS night (TYPE sqlite, READ_ONLY)")
    opened.execute("SET disabled_optimizers = 'common_subplan'")
    opened.execute("USE night")
    # Threads that wait for each other over a few rows take ten times as long, and the schema is read once in a transaction.
    opened.execute("SET threads = 1")
    opened.execute("BEGIN")

    def ask(question):
        relation = opened.sql(question["sql"])
        types = [str(kind) for kind in relation.types]
        kinds = [{"HUGEINT": "i", "UBIGINT": "n"}.get(kind) for kind in types]
        columns = [column.to_pylist() for column in relation.to_arrow_table().columns]
        return {"types": types, "rows": [[cell(value, kind) for value, kind in zip(row, kinds)] for row in zip(*columns)]}

    return ask


programs = {"sqlite": lambda: sqlite, "pysqlite3": lambda: sqlite,
            "pandas": lambda: pandas, "polars": lambda: polars}
ask = {**programs, "datasette": datasette, "attached": attached}[sys.argv[1]]()
answers = {}
for question in asked["questions"]:
    try:
        answer = ask(question)
        answers[question["name"]] = answer if isinstance(answer, dict) else {"rows": answer}
    except Exception as error:
        answers[question["name"]] = f"{type(error).__name__}: {error}"
print(json.dumps({"sqlite": sqlite3.sqlite_version, "answers": answers}))
