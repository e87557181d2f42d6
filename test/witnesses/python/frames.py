"""Reads every view into a table of pandas and one of polars, and reflects all of them with SQLAlchemy."""
import json
import sqlite3
import sys
import warnings

import pandas
import polars
import sqlalchemy

# SQLAlchemy does not know SQLite's type names of its own accord where a view works a column out.
warnings.simplefilter("ignore")
path, *views = sys.argv[1:]
connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
engine = sqlalchemy.create_engine(f"sqlite:///file:{path}?mode=ro&uri=true")
metadata = sqlalchemy.MetaData()
metadata.reflect(engine, views=True)
answer = {}
for view in views:
    rows = len(pandas.read_sql(f"SELECT * FROM {view}", connection))
    frame = polars.read_database(f"SELECT * FROM {view}", connection, infer_schema_length=None)
    table = metadata.tables[view]
    with engine.connect() as asked:
        counted = asked.execute(sqlalchemy.select(sqlalchemy.func.count()).select_from(table)).scalar_one()
    assert rows == frame.height == counted, view
    assert list(table.columns.keys()) == frame.columns, view
    answer[view] = rows
print(json.dumps(answer))
