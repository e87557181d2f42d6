import { asMoment, asText } from "../sql/functions.ts";
import { keptLedgerTimes } from "../sql/ledger-time.ts";
import { coverage, coveredAfter, includesVersion, recordCoverage, sealed } from "../sql/predicates.ts";
import { type Expression, joined, type Sql, sql } from "../sql/sql.ts";
import { asInteger, integer, snapshotColumns, termsOf, text, time, type ViewColumns, type ViewData } from "../view.ts";

/** What stood: the spans `s` of listings with their modules `m`, of listings alone, or of account records; and what covers these. */
const spansOf = {
  modules: { rows: sql`_listing_spans s JOIN _listing_modules m ON m.listing_id = s.listing_id`, coverage },
  listings: { rows: sql`_listing_spans s`, coverage },
  records: { rows: sql`_account_spans s`, coverage: recordCoverage },
} as const;
type Spans = keyof typeof spansOf;

/** A view of what stood, as data, from which its SELECTs follow. */
export type StateView = Pick<ViewData, "meaning" | "columns"> & {
  /** The name without `_at`, `_latest` or `_history`. */
  readonly name: string;
  /** Put together by UNION ALL. */
  readonly selects: readonly StateSelect[];
};

export type StateSelect = {
  readonly spans: Spans;
  /** The alias of the table whose columns it shows, and what it shows otherwise than the columns say. */
  readonly of: string;
  readonly terms?: ((version: Sql) => Readonly<Record<string, Expression>>) | undefined;
  /** Tables behind the spans. */
  readonly joins?: Sql;
  /** Of a module: tables by which other bytecode of it, `nb`, has the same row, what is seen soonest first. None where it never has. */
  readonly same?: readonly Sql[];
};

const account = sql`LEFT JOIN _addresses a ON a.id = s.address_id`;
const newest = sql`(SELECT max(n.ledger_version) FROM _all_snapshots n WHERE ${sealed("n")})`;

/** The newest sealed snapshot that covers the account of the span `s`. */
export const newestReading = (spans: Spans): Sql =>
  asInteger(sql`coalesce((SELECT CASE WHEN count(1) = count(c.to_version) THEN max(c.to_version) END
    FROM ${spansOf[spans].coverage} c WHERE c.address_id = s.address_id), ${newest})`);

/** A row for each span and each snapshot that it was seen at. */
function atEvery(columns: ViewColumns, { spans, of, terms, joins = sql`` }: StateSelect): Sql {
  const version = sql`p.ledger_version`;
  const { rows, coverage } = spansOf[spans];
  return sql`SELECT ${termsOf(columns, of, { ledger_version: version, ...terms?.(version) })}
    FROM ${rows} JOIN _all_snapshots p ON ${includesVersion("s", version)} AND ${sealed("p")}
    JOIN ${coverage} c ON c.address_id = s.address_id AND ${includesVersion("c", version)} ${account} ${joins}`;
}

/** At the newest sealed snapshot that covers the account: spans without an end. The version is looked up only when asked for. */
function atNewest(columns: ViewColumns, { spans, of, terms, joins = sql`` }: StateSelect): Sql {
  const version = newestReading(spans);
  return sql`SELECT ${termsOf(columns, of, { ledger_version: version, ...terms?.(version) })}
    FROM ${spansOf[spans].rows} ${account} ${joins} WHERE s.to_version IS NULL`;
}

/** The columns of a view with a row for each stretch, from those with a row for each snapshot. */
export function asStretches(columns: ViewColumns, from: Sql, to: Sql): ViewColumns {
  return { ...untimed(columns, from, to), ...stretchTimes(from, to) };
}

function untimed({ ledger_version: _snapshot, chain_id, ...columns }: ViewColumns, from: Sql, to: Sql): ViewColumns {
  return {
    ...(chain_id === undefined ? {} : { chain_id }),
    valid_from_version: integer(
      "first sealed snapshot that shows it, whenever it came; an older one that is sealed later can move it",
      from,
    ),
    valid_to_version: integer("first sealed snapshot after it that shows otherwise; null while it stands", asInteger(to)),
    ...columns,
  };
}

function stretchTimes(from: Sql, to: Sql): ViewColumns {
  const timeOf = (version: Sql): Sql => asMoment(keptLedgerTimes.time(version));
  return {
    valid_from_time: time("time of valid_from_version, UTC, known or estimated; else null", timeOf(from)),
    valid_to_time: time("time of valid_to_version, UTC, known or estimated; else null, and while it stands", timeOf(to)),
  };
}

/** Whether a listing has the row of the module `m` too: by the same bytecode, or by tables that say what other bytecode has. */
const shows = (listing: Sql, same: Sql | undefined): Sql =>
  sql`EXISTS (SELECT 1 FROM _listing_modules nm ${same === undefined ? sql`` : sql`JOIN _bytecodes nb ON nb.id = nm.bytecode_id ${same}`}
    WHERE nm.listing_id = ${listing} AND nm.name = m.name${same === undefined ? sql` AND nm.bytecode_id = m.bytecode_id` : sql``})`;

/** A row for each stretch of consecutive snapshots of an account that show the same: from the listing with which it begins. */
function stretches(columns: ViewColumns, { spans, of, terms, joins = sql``, same = [] }: StateSelect): Sql {
  const from = (end: Sql, before = sql``): Sql => {
    const to = sql`CASE WHEN s.to_version IS NOT NULL THEN ${end} END`;
    const list = termsOf(untimed(columns, sql`s.from_version`, to), of, terms?.(sql`s.from_version`));
    return sql`SELECT ${list} FROM ${spansOf[spans].rows}${before} ${account} ${joins}`;
  };
  if (spans === "records") return from(coveredAfter(sql`s.address_id`, sql`s.to_version`, recordCoverage));
  // What has the same bytecode is left out first: it is known of the module alone.
  const lacks = (listing: Sql): Sql[] => [undefined, ...same].map((one) => sql`NOT ${shows(listing, one)}`);
  const end = sql`(SELECT min(e.from_version) FROM _listing_spans e
    WHERE e.address_id = s.address_id AND e.from_version > s.from_version AND ${joined(lacks(sql`e.listing_id`), " AND ")})`;
  const before = sql` LEFT JOIN _listing_spans prior ON prior.address_id = s.address_id AND prior.from_version =
    (SELECT max(q.from_version) FROM _listing_spans q WHERE q.address_id = s.address_id AND q.from_version < s.from_version)`;
  const begins = lacks(sql`prior.listing_id`).map((lack) => sql`(prior.listing_id IS NULL OR ${lack})`);
  return sql`${from(end, before)} WHERE ${joined(begins, " AND ")}`;
}

/** The views of what stood: at each sealed snapshot, of each account at the newest one that covers it, and over stretches of them. */
export function stateViews({ name, meaning, columns, selects }: StateView): readonly [at: ViewData, ...others: ViewData[]] {
  const union = (select: typeof atEvery): Sql =>
    joined(
      selects.map((one) => select(columns, one)),
      " UNION ALL ",
    );
  const views: [ViewData, ViewData] = [
    { name: `${name}_at`, meaning: `${meaning}, at each sealed snapshot`, columns, select: union(atEvery) },
    {
      name: `${name}_latest`,
      meaning: `${meaning}, of each account at the newest sealed snapshot that covers it`,
      columns,
      select: union(atNewest),
    },
  ];
  if (selects.some(({ spans }) => spans === "listings")) return views;
  // The times are looked up around the rows: inside, the text that finds the end of a stretch would stand there twice.
  const [from, to] = [sql`h.valid_from_version`, sql`h.valid_to_version`];
  const history: ViewData = {
    name: `${name}_history`,
    meaning: `${meaning}, a row for each stretch of sealed snapshots that show the same`,
    columns: asStretches(columns, from, to),
    select: sql`SELECT h.*, ${termsOf(stretchTimes(from, to), "h")} FROM (${union(stretches)}) h`,
  };
  return [...views, history];
}

/**
 * What a view of modules shows of bytecodes by themselves, whichever modules have them: the number of each, which the relation `bytecodes`
 * has as `bytecode_id`, then the view's own columns. Numbers of 64 bits are text.
 */
export function rowsOfBytecodes({ columns, selects }: StateView, bytecodes: Sql): Sql {
  const own = Object.entries(columns).filter(([name]) => name !== "module" && !Object.hasOwn(snapshotColumns, name));
  return joined(
    selects.map(({ of, terms, joins = sql`` }) => {
      const numbers = own.flatMap(([name, { kind }]) => (kind === "u64" ? [[name, asText(`${of}.${name}`)] as const] : []));
      const list = termsOf(Object.fromEntries(own), of, { ...terms?.(sql`0`), ...Object.fromEntries(numbers) });
      return sql`SELECT m.bytecode_id, ${list} FROM ${bytecodes} AS m ${joins}`;
    }),
    " UNION ALL ",
  );
}

/** A view with rows for what modules have. */
export function moduleView(
  name: string,
  meaning: string,
  columns: ViewColumns,
  ...selects: readonly Omit<StateSelect, "spans">[]
): StateView {
  return {
    name,
    meaning,
    columns: { ...snapshotColumns, module: text("name of the module", "m.name"), ...columns },
    selects: selects.map((select) => ({ spans: "modules", ...select })),
  };
}

// What is only looked up is joined by LEFT JOIN: a question that does not ask for it does not pay for it.
export const code = sql`JOIN _bytecodes b ON b.id = m.bytecode_id`;
