import { isSameFile, requirePlace, systemReason } from "../base/files.ts";
import { printable } from "../base/printable.ts";
import { databaseAt } from "../db/engine/database-at.ts";
import { ConfigError } from "../errors.ts";

/** A file that a run is told to write: whole, or a line at its end. */
export type Output = {
  readonly what: string;
  readonly path: string;
  readonly isAppended?: boolean;
  /** Whether a run begins though it cannot be written. */
  readonly isOptional?: boolean;
};

/**
 * Makes sure that a run can write one of its files: a regular one, or none yet, that is no file of the database, and not one that stands
 * before it in `all`. Nothing is written. @throws ConfigError
 */
export async function requireOutput(output: Output, database: string, all: readonly Output[]): Promise<void> {
  const { what, path, isAppended, isOptional } = output;
  if (isOptional) return;
  const named = `\`${printable(path)}\``;
  try {
    requirePlace(path, isAppended);
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`the ${what} ${error.message}`, { facts: error.facts });
    const text = `could not write the ${what} ${named}: ${systemReason(error)}. Check that its directory exists and may be written to.`;
    throw new ConfigError(text, { facts: { path }, cause: error });
  }
  const own = (await databaseAt(database).files()).find((file) => isSameFile(file, path));
  if (own !== undefined)
    throw new ConfigError(`the ${what} ${named} is the database's own file \`${printable(own)}\`. Name another file.`, { facts: { path } });
  const first = all.find((one) => isSameFile(one.path, path));
  if (first === undefined || first === output) return;
  throw new ConfigError(`the ${what} and the ${first.what} are one file, ${named}. Name another for one of them.`, { facts: { path } });
}
