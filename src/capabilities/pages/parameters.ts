import { printable } from "../../core/base/printable.ts";
import { sealedAmong, statusQueries } from "../../core/db/archive/read/status-queries.ts";
import { ConfigError } from "../../core/errors.ts";
import { type Address, parseAddress } from "../../core/move/address.ts";
import { namesSnapshot } from "../../core/questions/snapshot-choice.ts";
import type { Subject } from "../../core/questions/subject.ts";
import { NotHeldError } from "../../core/questions/subject.ts";
import type { PageCall } from "./page.ts";
import type { PageArchive } from "./page-archive.ts";

/** The account in a path. @throws ConfigError */
export function readAddress(text: string): Address {
  const address = parseAddress(text);
  if (address !== undefined) return address;
  throw new ConfigError(`\`${printable(text, 100)}\` is not an account address. Give 0x and 1 to 64 hex digits.`);
}

/** The choice in a query string; undefined where the query names none. @throws ConfigError for a choice that there is not */
export function readChoice<T extends string>(query: PageCall["query"], name: string, choices: readonly T[]): T | undefined {
  const value = query(name);
  const choice = choices.find((one) => one === value);
  if (choice !== undefined || value === undefined) return choice;
  throw new ConfigError(`there is no ${name} \`${printable(value, 60)}\`. Give one of ${choices.join(", ")}.`);
}

/** The module in a path, at the version of `?at=`, by any name: what a node called a module is held. @throws ConfigError, NotHeldError */
export function readSubject({ parts, query }: Pick<PageCall, "parts" | "query">): Subject & { address: Address; module: string } {
  const [account = "", module = ""] = parts;
  if (module === "") throw new NotHeldError("no module is named.");
  const at = query("at");
  return { address: readAddress(account), module, ...(at === undefined ? {} : { version: parseSnapshot(at) }) };
}

/** A snapshot as it is named in an address: a ledger version, `latest`, `previous` or `oldest`. @throws ConfigError */
export function parseSnapshot(text: string): string {
  const plain = text.replaceAll(/[,_ ]/g, "");
  if (namesSnapshot(plain)) return plain;
  throw new ConfigError(`\`${printable(text, 60)}\` is not a ledger version. Give a number, \`latest\`, \`previous\` or \`oldest\`.`);
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
/** What names a version in an address. */
const VERSIONS: readonly string[] = ["at", "from", "to", "night"];

/**
 * A query string with versions in the place of dates: `at=2026-03-01` is the newest snapshot made by the end of that day, UTC.
 * @throws ConfigError for a day that does not exist, NotHeldError where no snapshot is that old
 */
export async function withVersions(
  values: URLSearchParams,
  { engine }: PageArchive,
): Promise<Readonly<Record<string, string | undefined>>> {
  const given = Object.fromEntries(values);
  const dated = VERSIONS.filter((name) => DATE.test(given[name]?.trim() ?? ""));
  const sealed = dated.length === 0 ? [] : sealedAmong(await statusQueries(engine).listSnapshots());
  return { ...given, ...Object.fromEntries(dated.map((name) => [name, versionBy(given[name]?.trim() ?? "", sealed)])) };
}

function versionBy(text: string, sealed: ReturnType<typeof sealedAmong>): string {
  const end = endOf(text);
  const found = sealed.find(({ ledgerTime }) => ledgerTime !== null && ledgerTime <= end);
  if (found !== undefined) return String(found.ledgerVersion);
  const oldest = sealed.findLast(({ ledgerTime }) => ledgerTime !== null);
  const held =
    oldest?.ledgerTime == null
      ? "of no snapshot is the time known"
      : `the oldest whose time is known is of ${new Date(oldest.ledgerTime).toISOString().slice(0, 16)} (version ${oldest.ledgerVersion})`;
  const versions = oldest === undefined ? [] : [`${oldest.ledgerVersion}`];
  throw new NotHeldError(`the archive has no snapshot from ${text} (UTC); ${held}.`, { versions });
}

/** The last millisecond of a day in words. */
function endOf(day: string): number {
  const start = Date.parse(`${day}T00:00:00Z`);
  // A date that does not exist, such as the 31st of February, is another day to some parsers.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day)
    throw new ConfigError(`\`${day}\` is not a date such as 2026-03-01.`);
  return start + DAY_MS - 1;
}
