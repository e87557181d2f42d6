import type { Cell, Value } from "../../../base/cell.ts";
import { type Kind, kinds } from "../column.ts";

/** The engines, by the SQL that they speak. */
export type Dialect = "sqlite" | "postgresql";

/** A statement's parameters by name. All that the statement names have to be there. */
export type Values = Readonly<Record<string, Value>>;

/** One row as a list. Making an object of each costs as much as finding it. */
export type Row = readonly Cell[];

/** A piece of SQL for every engine, with named parameters (`:version`); what engines spell differently is in `functions.ts`. */
export type Sql<R extends Row = Row, V extends Values = Values> = {
  /** The text in one engine's dialect; parameters still stand in it as `:name`. */
  readonly in: (dialect: Dialect) => string;
  /** For the types alone, as `values` is: no statement has it. */
  readonly row?: R;
  values?(values: V): void;
};

/** SQL in a place where a column or a parameter may stand too: `s.address_id` or `:version` as they are, anything longer as `Sql`. */
export type Expression = Sql | string;

const SIMPLE = /^(?::?[a-z_][a-z0-9_]*(?:::[a-z0-9]+)?|[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*)$/;
const NAME = /^[a-z_][a-z0-9_]*$/;

/**
 * A statement, or a part of one.
 *
 * Only `Sql` may be put in: a value would be a type error, so that none is ever spliced into a statement. Values go in as
 * parameters (`:version`, or `:until::time` where the kind of the column has to be told, see `Value`). What differs between
 * the engines is a function of `functions.ts`.
 *
 * Statements are made once, as constants of a module: an engine compiles and prepares each of them once. `R` says what a row holds, `V`
 * which values the statement wants; whoever runs it then gives all of them, and gets such rows and no others.
 *
 * ```ts
 * const moduleNames = sql<[name: string], { version: bigint }>`SELECT … WHERE … ${includesVersion("s", ":version")}`;
 * const rows = await engine.all(moduleNames, { version: 10_000n });
 * ```
 */
export function sql<R extends Row = Row, V extends Values = Values>(texts: TemplateStringsArray, ...parts: readonly Sql[]): Sql<R, V> {
  return { in: (dialect) => texts.reduce((text, next, i) => text + (parts[i - 1] as Sql).in(dialect) + next) };
}

export function inDialect(say: (dialect: Dialect) => string): Sql {
  return { in: say };
}

/** A text as SQL, alike for every engine: a part of the program, never anybody's data. */
export function verbatim(text: string): Sql {
  return { in: () => text };
}

/** The name of a table or column as SQL, where it is not known when the statement is written. */
export function named(name: string): Sql {
  return verbatim(checkName(name));
}

/** A name of a table or column that needs no quotes. @throws TypeError for any other text */
export function checkName(name: string): string {
  if (NAME.test(name)) return name;
  throw new TypeError(`\`${name}\` cannot be a name in SQL: it has other characters than a-z, 0-9 and _.`);
}

/** Any name of a table or column as a text of SQL. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function joined(parts: readonly Sql[], between: ", " | " AND " | " OR " | " UNION " | " UNION ALL " | " CROSS JOIN "): Sql {
  return { in: (dialect) => parts.map((part) => part.in(dialect)).join(between) };
}

/** @throws TypeError for a text that is neither a column nor a parameter */
export function toSql(expression: Expression): Sql {
  if (typeof expression !== "string") return expression;
  if (!SIMPLE.test(expression)) throw new TypeError(`\`${expression}\` is neither a column nor a parameter: write it as sql\`…\`.`);
  return verbatim(expression);
}

export type Parameter = { readonly name: string; readonly kind?: Kind };

/** A statement's text in an engine's dialect, cut at its parameters: one text more than there are parameters. */
export type Parsed = { readonly texts: readonly string[]; readonly parameters: readonly Parameter[] };

// Quoted text, quoted names and comments are passed over, and so are casts (`x::text`), which begin with two colons.
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:(?<name>[a-zA-Z_][a-zA-Z0-9_]*)(?:::(?<kind>[a-zA-Z_][a-zA-Z0-9_]*))?/g;

/** A text of SQL cut at its placeholders `:name`: one text more than there are names. `x::text` is a cast. */
export function parsePlaceholders(text: string): { readonly texts: readonly string[]; readonly names: readonly string[] } {
  const { texts, found } = cut(text, false);
  return { texts, names: found.map(({ name }) => name) };
}

/** Finds the parameters of a statement: `:name`, or `:name::kind`. */
export function parseParameters(text: string): Parsed {
  const { texts, found } = cut(text, true);
  const parameters = found.map(({ name, kind }): Parameter => {
    if (kind === undefined) return { name };
    if (Object.hasOwn(kinds, kind)) return { name, kind: kind as Kind };
    const known = Object.keys(kinds).join(", ");
    throw new TypeError(`\`:${name}::${kind}\` names no kind of column; there are ${known}. To cast, write CAST.`);
  });
  return { texts, parameters };
}

/** `withKinds`: what `::` adds to a name is its kind; else it is a cast, and stays in the text. */
function cut(text: string, withKinds: boolean) {
  const texts: string[] = [];
  const found: { readonly name: string; readonly kind?: string }[] = [];
  let start = 0;
  for (const match of text.matchAll(TOKEN)) {
    const { name, kind } = match.groups as { name?: string; kind?: string };
    if (name === undefined) continue;
    texts.push(text.slice(start, match.index));
    found.push(kind === undefined ? { name } : { name, kind });
    start = match.index + (withKinds ? match[0].length : 1 + name.length);
  }
  return { texts: [...texts, text.slice(start)], found };
}
