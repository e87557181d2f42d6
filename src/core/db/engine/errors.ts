import { printable } from "../../base/printable.ts";
import { type Facts, MovedexError } from "../../errors.ts";
import type { ExitName } from "../../exit-codes.ts";

/** What can go wrong with a database: the stable code of each failure, and the exit code it ends a command with. */
const failures = {
  MOVEDEX_STORE_LOCKED: "locked",
  MOVEDEX_STORE_BUSY: "locked",
  MOVEDEX_STORE_CUT: "failed",
  MOVEDEX_STORE_TIMEOUT: "failed",
  MOVEDEX_STORE_MISSING: "failed",
  MOVEDEX_STORE_PRESENT: "failed",
  MOVEDEX_STORE_CANNOT_OPEN: "failed",
  MOVEDEX_STORE_READ_ONLY: "failed",
  MOVEDEX_STORE_FULL: "failed",
  MOVEDEX_STORE_IO: "failed",
  MOVEDEX_STORE_NOT_A_DATABASE: "failed",
  MOVEDEX_STORE_FOREIGN: "failed",
  MOVEDEX_STORE_DAMAGED: "corrupt",
  MOVEDEX_STORE_NEWER: "failed",
  MOVEDEX_STORE_OLDER: "failed",
  MOVEDEX_STORE_MIGRATION: "failed",
  MOVEDEX_STORE_CHAIN: "wrongChain",
  MOVEDEX_STORE_VERSION: "failed",
  MOVEDEX_STORE_PIN: "failed",
  MOVEDEX_STORE_VISIT: "failed",
  MOVEDEX_STORE_QUERY: "failed",
  MOVEDEX_STORE_QUERY_SIZE: "failed",
  MOVEDEX_STORE_ARCHIVE: "corrupt",
  MOVEDEX_STORE_UNEXPECTED: "failed",
} as const satisfies Record<`MOVEDEX_STORE_${string}`, ExitName>;

export type StoreErrorCode = keyof typeof failures;

/** A failure of the database: it cannot be opened, written, read or trusted. What was committed before stays. */
export class StoreError extends MovedexError {
  constructor(code: StoreErrorCode, message: string, options: { facts?: Facts; cause?: unknown } = {}) {
    super(code, message, { ...options, exit: failures[code] });
  }
}

/** The failure of the database at a place: the path of a file, or the printable address of a server. */
export function placeError(place: string, code: StoreErrorCode, message: string, facts: Facts = {}, cause?: unknown): StoreError {
  return new StoreError(code, message, { facts: { path: place, ...facts }, cause });
}

/** Codes of a database or of the system, whole or by their beginning (the longest first), perhaps with a detail, and what they mean. */
export type Meanings = readonly (readonly [prefix: string, code: StoreErrorCode, sentence: string])[];

/** Stands in a meaning for the other side's own words. */
export const SAID = "{said}";

/** What failed, and what of. `fact` names the code among the facts. */
type Failure = { code: string; detail?: string; error: Error; wanted: string; place: string; fact: string };

/** A failure by its code, never by its text: `could not <wanted> <place>: <meaning>. (<code>)`. */
export function failureOf(meanings: Meanings, { code, detail = "", error, wanted, place, fact }: Failure): StoreError {
  const [, storeCode, sentence] = meanings.find(([prefix]) => `${code} ${detail}`.startsWith(prefix)) ?? [];
  const words = sentence === undefined ? printable(error.message) : `${sentence.replace(SAID, () => printable(error.message))}.`;
  const text = `could not ${wanted} \`${printable(place)}\`: ${words} (${code})`;
  return placeError(place, storeCode ?? "MOVEDEX_STORE_UNEXPECTED", text, { [fact]: code }, error);
}

/** The error for a value that JavaScript has rounded. */
export function notExact(value: number): RangeError {
  return new RangeError(`${value} cannot be kept exactly as a number: whole ones above 2^53 − 1 have to be bigint.`);
}

/** The error where tables have to be migrated, and the database is open to read. */
export function olderTables(label: string, applied: number, known: number, facts: Facts = {}): StoreError {
  const text = `\`${label}\` has older tables (${applied} of ${known} migrations), and reading may not change it. Run \`movedex sync\` once, or without a node \`movedex tell\`.`;
  return placeError(label, "MOVEDEX_STORE_OLDER", text, { ...facts, applied, known });
}

/** The error where a run did not finish making the database, and it is open to read. */
export function unfinishedTables(path: string): StoreError {
  const text = `\`${printable(path)}\` was not made to its end (a full disk, a killed process). Run \`movedex sync\` once, or without a node \`movedex tell\`.`;
  return placeError(path, "MOVEDEX_STORE_OLDER", text);
}

/** The error for migrations that this movedex does not know. */
export function newerTables(label: string, applied: number, known: number): StoreError {
  const text = `\`${label}\` was made by a newer movedex: its tables have ${applied} migrations, and this one knows ${known}. Update movedex to use it.`;
  return placeError(label, "MOVEDEX_STORE_NEWER", text, { applied, known });
}

export function damagedFile(path: string, found: string, cause?: unknown): StoreError {
  return placeError(path, "MOVEDEX_STORE_DAMAGED", `\`${printable(path)}\` is damaged: ${found}.`, {}, cause);
}

/** Failures that may be over the next time: the server is gone or starting, has no connection left, or was too slow. */
const passing = new Set<StoreErrorCode>(["MOVEDEX_STORE_CUT", "MOVEDEX_STORE_CANNOT_OPEN", "MOVEDEX_STORE_BUSY", "MOVEDEX_STORE_TIMEOUT"]);

/** Whether a failure says that the database gives no answer at the moment, and nothing about what is in it. */
export function isUnavailable(error: unknown): error is StoreError {
  return error instanceof StoreError && passing.has(error.code as StoreErrorCode);
}
