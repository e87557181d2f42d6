import { type Sql, sql } from "../../../schema/sql/sql.ts";
import type { Session, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../errors.ts";
import type { AbiRows } from "../abi-rows.ts";

/** What can be searched for. The place in the list is the kind's number in the index: append only. */
export const searchKinds = ["module", "function", "struct", "error"] as const;

/** A kind of thing that can be searched for. */
export type SearchKind = (typeof searchKinds)[number];

/** Puts new rows of content into the index. Its calls belong inside the transaction that adds the rows. */
export type WordWriter = {
  /**
   * What ABIs name that may not be in the index yet. Asked before the transaction: most names are there, and looking for each was a tenth
   * of a batch's turn to write.
   */
  readonly unseen: (abis: Iterable<NamesInAbi>) => Unseen;
  /** Adds what a batch brings: its new modules by number, and of the batch's rows of the tables that have names in them what was unseen. */
  readonly add: (
    tx: Transaction,
    modules: Iterable<readonly [id: number, name: string]>,
    rows: RowsWithWords,
    unseen: Unseen,
  ) => Promise<void>;
  /** Leaves the names of modules and nothing else, where all other rows are to be made anew. */
  readonly clear: (tx: Transaction) => Promise<void>;
  /** Forgets what is in the index already, after a transaction that was rolled back. */
  readonly forget: () => void;
};

/** The index of words of a database: what writes it, and how it is asked. */
export type WordIndex = WordWriter & {
  /**
   * A SELECT of what has the words of `anyOf` (the parameter `:match`), the best first: `place`, by which they are ordered, and
   * `id`, the number of the row of content. At most `candidates`.
   */
  readonly hits: (kind: SearchKind) => Sql;
  /** What `hits` looks for: any of the words, or one that begins so. Words are letters and digits. */
  readonly anyOf: (words: readonly string[]) => string;
  /** Makes sure that there is an index. @throws StoreError `MOVEDEX_STORE_OLDER` */
  readonly require: (session: Session) => Promise<void>;
};

/** New rows of the tables that are searched, their cells as the tables have them. */
export type RowsWithWords = {
  readonly functions: readonly (readonly unknown[])[];
  readonly structs: readonly (readonly unknown[])[];
  readonly abis: readonly (readonly unknown[])[];
};

/** The rows of an ABI, without their numbers. */
export type NamesInAbi = Pick<AbiRows, "functions" | "structs">;

/** Names of functions, and of structs with all that is named in each, as the lines of one text. */
export type Unseen = { readonly functions: ReadonlySet<string>; readonly structs: ReadonlySet<string> };

/** How many rows of content a search looks at for each kind. */
export const candidates = sql`5000`;

/** The number of a kind as SQL. */
export const kindNumber = (kind: SearchKind): Sql => kindNumbers[kind];
const kindNumbers: Readonly<Record<SearchKind, Sql>> = { module: sql`0`, function: sql`1`, struct: sql`2`, error: sql`3` };

/** What to say of a database whose index is not there. */
export function noIndex(): StoreError {
  return new StoreError(
    "MOVEDEX_STORE_OLDER",
    "the database was made before there was a search, and reading may not change it. Run `movedex sync` or any command that writes once.",
  );
}
