"""Runs a program that tells SQLAlchemy the types of views, with sqlite3 or the module that is named for it. Then reads every view by its
reflection. Prints what types the values have in Python, by the types of their columns, and how a time compares."""
import collections
import importlib
import json
import sys

import pandas

program, module = sys.argv[1:]
sys.modules["sqlite3"] = sqlite3 = importlib.import_module(module)
exec(program)
metadata = MetaData()
metadata.reflect(engine, views=True)
kinds = collections.defaultdict(set)
with engine.connect() as night:
    for table in metadata.tables.values():
        for row in night.execute(select(table)) if table.name[0] != "_" and table.name != "documentation" else []:
            for column, value in zip(table.columns, row):
                if value is not None:
                    zone = f" {value.tzinfo}" if hasattr(value, "tzinfo") else ""
                    kinds[type(column.type).__name__].add(type(value).__name__ + zone)
    moments = select(snapshots.c.ledger_time).order_by(snapshots.c.ledger_time)
    first, *others = night.execute(moments).scalars()
    codes = metadata.tables["error_codes_latest"].columns.code
    held = set(night.execute(select(codes)).scalars())
    found = {code for code in held if set(night.execute(select(codes).where(codes == code)).scalars()) == {code}}
    after = list(night.execute(moments.where(snapshots.c.ledger_time > first)).scalars())
by_pandas = str(pandas.read_sql_table("snapshots", engine).ledger_time.dtype)
answer = {"sqlite": sqlite3.sqlite_version, "compares": after == others, "finds": found == held and max(held) == 2**64 - 1, "pandas": by_pandas}
print(json.dumps({**answer, "kinds": {kind: sorted(types) for kind, types in kinds.items()}}))
