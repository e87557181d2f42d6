import { statusQueries } from "../archive/read/status-queries.ts";
import { printable } from "../base/printable.ts";
import { ConfigError } from "../errors.ts";
import { sealedAmong } from "../questions/diff/last-night.ts";
import { NotHeldError } from "../questions/not-held.ts";
import type { PageArchive } from "./page-archive.ts";

const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?$/;
const DAY_MS = 86_400_000;
/** What names a version in an address. */
const VERSIONS: readonly string[] = ["at", "from", "to", "night"];

/**
 * A query string with versions in the place of dates: `at=2026-03-01` is the newest snapshot made by the end of that day, UTC;
 * `2026-03-01T12:30` by that minute.
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
  throw new NotHeldError(`the archive has no snapshot from ${text} (UTC); ${held}.`);
}

/** The last millisecond of a day or minute in words. */
function endOf(text: string): number {
  const isDay = text.length === 10;
  const start = Date.parse(isDay ? `${text}T00:00:00Z` : `${text.replace(" ", "T").replace(/Z$/, "")}Z`);
  // A date that does not exist, such as the 31st of February, is another day to some parsers.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== text.slice(0, 10))
    throw new ConfigError(`\`${printable(text, 40)}\` is not a date such as 2026-03-01.`);
  return start + (isDay ? DAY_MS : 60_000) - 1;
}
