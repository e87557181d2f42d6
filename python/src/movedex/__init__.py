"""Reads a movedex archive into DataFrames: a file, or a PostgreSQL database. Nothing in it is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

__all__ = ["Archive", "open"]
__version__ = "0.2.0"


def open(place: str | Path, *, frames: str = "pandas", schema: str = "movedex") -> Archive:  # noqa: A001
    """Opens an archive: the path of a file, or an address such as postgres://reader@host/archive.

    frames is "pandas" or "polars". Raises FileNotFoundError for a file that is not there, ValueError for one that is no archive.
    """
    if frames not in ("pandas", "polars"):
        raise ValueError(f'frames is "pandas" or "polars", not {frames!r}')
    return Archive(_connect(str(place), schema), frames)


class Archive:
    """A movedex archive. Each public view is an attribute: archive.functions_latest. Close it, or use it in a with statement."""

    def __init__(self, connection: Any, frames: str) -> None:
        self._connection = connection
        self._frames = frames
        self._types: dict[str, dict[str, tuple[str, str]]] = {}
        try:
            rows = self._rows(
                "SELECT relation, column_name, type, meaning FROM documentation WHERE kind = 'view' ORDER BY relation, position"
            )[1]
        except Exception as error:
            connection.close()
            raise ValueError(f"this cannot be read as a movedex archive: {error}") from error
        for relation, column, kind, meaning in rows:
            self._types.setdefault(relation, {})[column] = (kind, meaning)

    @property
    def views(self) -> list[str]:
        """The names of the public views."""
        return list(self._types)

    def meaning(self, view: str) -> dict[str, str]:
        """What each column of a view means."""
        return {column: meaning for column, (_, meaning) in self._columns(view).items()}

    def frame(self, view: str, *, at: int | None = None) -> Any:
        """A view as a DataFrame with the types of its columns; of a view that ends in _at, the rows of one sealed snapshot."""
        columns = self._columns(view)
        names = ", ".join(f'"{column}"' for column in columns)
        if at is None:
            return self._frame(*self._rows(f'SELECT {names} FROM "{view}"'), {c: kind for c, (kind, _) in columns.items()})
        if "ledger_version" not in columns:
            raise ValueError(f"{view} has no column ledger_version")
        # A number, never text from outside.
        where = f'WHERE "ledger_version" = {int(at)}'
        return self._frame(*self._rows(f'SELECT {names} FROM "{view}" {where}'), {c: kind for c, (kind, _) in columns.items()})

    def query(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Any:
        """The answer to your own SQL as a DataFrame. SQLite has ? and :name for values, PostgreSQL %s and %(name)s.

        Raises ValueError where two columns have the same name.
        """
        return self._frame(*self._rows(sql, parameters), {})

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._types:
            raise AttributeError(f"the archive has no view {name!r}; archive.views lists them")
        return self.frame(name)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._types]

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _columns(self, view: str) -> dict[str, tuple[str, str]]:
        if view not in self._types:
            raise ValueError(f"the archive has no view {view!r}; archive.views lists them")
        return self._types[view]

    def _rows(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> tuple[list[str], list[tuple[Any, ...]]]:
        cursor = self._connection.cursor()
        try:
            cursor.execute(sql, parameters) if parameters else cursor.execute(sql)
            return [column[0] for column in cursor.description or ()], cursor.fetchall()
        finally:
            cursor.close()

    def _frame(self, names: list[str], rows: list[tuple[Any, ...]], kinds: Mapping[str, str]) -> Any:
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(f"two columns are named {min(twice)!r}: give each another name with AS")
        columns = {name: [_value(row[i], kinds.get(name)) for row in rows] for i, name in enumerate(names)}
        if self._frames == "polars":
            import polars

            types: dict[str, Any] = {
                "text": polars.String,
                "integer": polars.Int64,
                "u64": polars.UInt64,
                "boolean": polars.Boolean,
                "time": polars.Datetime("us", "UTC"),
            }
            return polars.DataFrame(columns, schema={name: types.get(kinds.get(name, "")) for name in names}, strict=True)
        import pandas  # type: ignore[import-untyped, unused-ignore]  # its types are a package of their own

        dtypes = {"text": "string", "integer": "Int64", "u64": "UInt64", "boolean": "boolean", "time": "datetime64[us, UTC]"}
        return pandas.DataFrame({name: pandas.Series(values, dtype=dtypes.get(kinds.get(name, ""))) for name, values in columns.items()})


def _value(value: Any, kind: str | None) -> Any:
    """A value as its column's type says: a file has 1 and 0 for conditions, text for moments, and text for a u64 above 2^63 - 1."""
    if value is None:
        return None
    if kind == "boolean":
        return bool(value)
    if kind == "u64":
        return int(value)
    if kind == "time" and isinstance(value, str):
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    return value


def _connect(place: str, schema: str) -> Any:
    if place.startswith(("postgres://", "postgresql://")):
        try:
            import psycopg
        except ImportError as error:
            raise ImportError('a PostgreSQL address needs psycopg: pip install "movedex[postgres]"') from error
        connection = psycopg.connect(place, autocommit=True)
        connection.execute("SET default_transaction_read_only = on")
        connection.execute(psycopg.sql.SQL("SET search_path TO {}").format(psycopg.sql.Identifier(schema)))
        return connection
    path = Path(place)
    if not path.is_file():
        raise FileNotFoundError(place)
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)
