import type { ColumnData, ViewKind } from "./column.ts";
import { flag as asBoolean, asMoment, asText, hexOf, moment, zeroPadded } from "./sql/functions.ts";
import { keptLedgerTimes } from "./sql/ledger-time.ts";
import { type Expression, joined, named, type Sql, sql, toSql } from "./sql/sql.ts";

/** One column of a view. Where it may be null, its meaning says when. */
export type ViewColumnData = Pick<ColumnData, "meaning"> & {
  readonly kind: ViewKind;
  /** Its term, where that is not the column of the same name in the view's own table. */
  readonly term?: Expression | undefined;
};

export function isNullable({ meaning }: Pick<ViewColumnData, "meaning">): boolean {
  return /\bnull\b/.test(meaning);
}

export type ViewColumns = Readonly<Record<string, ViewColumnData>>;

/**
 * One view as data: the contract with people who write SQL. Names and columns stay; the statement behind them may change.
 * Views are made again when a database is opened by a movedex whose views differ, so they are no part of the migrations.
 */
export type ViewData = {
  readonly name: string;
  readonly meaning: string;
  readonly columns: ViewColumns;
  /** The SELECT behind the view; its columns come in the order of `columns`. */
  readonly select: Sql;
  /** Its rows are at versions that no snapshot has, or say when something was done: an export writes all of them into one file. */
  readonly isWhole?: true;
};

type ViewOfTable = Omit<ViewData, "select"> & {
  /** The alias of the table whose columns it shows. */
  readonly of: string;
  /** `FROM …`: the table and what it is joined with. */
  readonly from: Sql;
};

/** A view whose statement follows from its columns. */
export function view({ name, meaning, columns, of, from }: ViewOfTable): ViewData {
  return { name, meaning, columns, select: sql`SELECT ${termsOf(columns, of)} ${from}` };
}

export function whole(...views: readonly ViewData[]): readonly ViewData[] {
  return views.map((one) => ({ ...one, isWhole: true }));
}

/** The terms between SELECT and FROM for some columns. `terms` take the place of the columns' own. */
export function termsOf(columns: ViewColumns, of: string, terms: Readonly<Record<string, Expression>> = {}): Sql {
  const list = Object.entries(columns).map(([name, { kind, term: own }]) => {
    const same = `${of}.${name}`;
    const term = terms[name] ?? own ?? (kind === "time" ? moment(same) : kind === "bool" ? asBoolean(same) : same);
    const isSame = typeof term === "string" && term.endsWith(`.${name}`);
    return isSame ? toSql(term) : sql`${toSql(term)} AS ${named(name)}`;
  });
  return joined(list, ", ");
}

function ofKind(kind: ViewKind) {
  return (meaning: string, term?: Expression): ViewColumnData => ({ kind, meaning, term });
}

export const text = ofKind("text");
export const integer = ofKind("int");
/** Its meaning says how to ask for it and sort it where it is text in part: `length` of a text is of its digits on any engine. */
export const u64Column = (name: string, meaning: string, term: Expression): ViewColumnData =>
  ofKind("u64")(`${meaning}; in a file a text above 2^63 - 1: quote it only then; sort by length(CAST(${name} AS text)), ${name}`, term);
export const boolean = ofKind("bool");
/** `meaning` goes on after "whether it". */
export const flag = (meaning: string, term?: Expression): ViewColumnData => boolean(`whether it ${meaning}`, term);
export const time = ofKind("time");

/** Columns that a view shows as its table has them. */
export function columnsOf<Name extends string>(
  { columns }: { readonly columns: Readonly<Record<Name, ColumnData>> },
  ...names: readonly Name[]
): ViewColumns {
  const shown = names.map((name): [Name, ViewColumnData] => {
    const { kind, meaning } = columns[name] as ViewColumnData;
    // A meaning of a time goes on, after `;`, with when it is null.
    return [name, { kind, meaning: kind === "time" ? meaning.replace(/(?=;|$)/, ", UTC") : meaning }];
  });
  return Object.fromEntries(shown);
}

export const chain = sql`(SELECT chain_id FROM _archive)`;

/** An address as `0x` and 64 digits. */
export function longAddress(address: Expression): Sql {
  return asText(sql`('0x' || ${zeroPadded(sql`substr(${toSql(address)}, 3)`, 64)})`);
}

/** Columns of the account `a` (addresses). */
export const accountColumns: ViewColumns = {
  address: text("the account as the node prints it (0x1)", "a.address"),
  address_long: text("the account as 0x and 64 digits, for joins with other data", longAddress("a.address")),
};

export const snapshotColumns: ViewColumns = {
  chain_id: integer("the chain", chain),
  ledger_version: integer("the sealed snapshot"),
  ...accountColumns,
};

/** A whole number whose type tools can see: in SQLite views pass on the types of plain columns only. */
export function asInteger(expression: Sql): Sql {
  return sql`CAST(${expression} AS bigint)`;
}

export function hexText(bytes: Expression): Sql {
  return asText(hexOf(bytes));
}

export function prefixedHex(bytes: Expression): Sql {
  return asText(sql`('0x' || ${hexOf(bytes)})`);
}

/** Columns that end every view of ledger versions: when a version was made, by the ledger's own clock. */
export function ledgerTimeOf(version: Sql): ViewColumns {
  return {
    ledger_time: time(
      "the ledger's own time for this version, UTC: known, or between two known ones; before the oldest known one an estimate; else null",
      asMoment(keptLedgerTimes.time(version)),
    ),
    ledger_time_error_ms: integer(
      "maximum error of ledger_time in milliseconds; 0 if a node reported the time of this version, null if ledger_time is null",
      asInteger(keptLedgerTimes.error(version)),
    ),
  };
}
