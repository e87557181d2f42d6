import { printable } from "../../core/base/printable.ts";
import { DAY_MS } from "../../core/base/time.ts";
import { sealedAmong, statusQueries } from "../../core/db/archive/read/status-queries.ts";
import { ConfigError } from "../../core/errors.ts";
import { type Address, parseAddress } from "../../core/move/address.ts";
import { namesSnapshot, parseVersion } from "../../core/questions/snapshot-choice.ts";
import { NotHeldError, type Subject } from "../../core/questions/subject.ts";
import type { Html } from "../changes/pages/html.ts";
import type { Links } from "../changes/pages/page-links.ts";
import type { PageArchive } from "./page-archive.ts";

/** The entries of the menu. */
export type Section = "home" | "changes" | "coverage" | "sql" | "api";

type Route = {
  readonly path: string;
  /** A short name for metrics and logs. */
  readonly name: string;
  /** Whether it bounds itself how many are made at once: what takes seconds must not keep other pages waiting. */
  readonly hasOwnLimit?: boolean;
  /** The part of the pages that can be left out with it. */
  readonly section?: Section;
};

const routes = [
  { path: "/", name: "page.home" },
  { path: "/changes", name: "page.changes" },
  { path: "/changes.atom", name: "page.feed" },
  { path: "/coverage", name: "page.coverage" },
  { path: "/gaps", name: "page.gaps" },
  { path: "/going", name: "page.going" },
  { path: "/sql", name: "page.sql", hasOwnLimit: true, section: "sql" },
  { path: "/sql.csv", name: "page.sql.csv", hasOwnLimit: true, section: "sql" },
  { path: "/sql.json", name: "page.sql.json", hasOwnLimit: true, section: "sql" },
  { path: "/search", name: "page.search" },
  { path: "/suggest", name: "page.suggest" },
  { path: "/account/:address", name: "page.account" },
  { path: "/module/:address/:name", name: "page.module" },
  { path: "/module/:address/:name/:item", name: "page.item" },
  { path: "/error/:address/:name/:code", name: "page.error" },
  { path: "/diff/:address/:name", name: "page.diff" },
  { path: "/v1/spec", name: "page.spec" },
] as const satisfies readonly Route[];

export type PageName = (typeof routes)[number]["name"];
export type PageRoute = Route & { readonly name: PageName };
export const pageRoutes: readonly PageRoute[] = routes;

/** A page, before its frame is put around it. */
export type Page = {
  readonly status?: number;
  /** For the window's title, before the name of the program. */
  readonly title: string;
  readonly body: Html;
  /** Whether it takes the whole width of a large screen. */
  readonly isWide?: boolean;
  /** Which entry of the menu it belongs to. */
  readonly section?: Section;
  /** What stands in the search field. */
  readonly search?: string;
  /** Where the reader is led instead. */
  readonly location?: string;
  /** A feed of the same, as feed readers find it. */
  readonly feed?: string;
  /** Whether the same request may be answered by the same page until something else is sealed; true when it is left out. */
  readonly isCached?: boolean;
};

export type FileAnswer = {
  readonly contentType: string;
  readonly body: Uint8Array;
  /** The body as it is made, where the other is empty; it ends with an error where it cannot go on. */
  readonly stream?: ReadableStream<Uint8Array>;
  /** Under which name it is saved; shown in the browser when it is undefined. */
  readonly fileName?: string;
};

export type PageCall = {
  readonly archive: PageArchive;
  readonly links: Links;
  /** The open segments of the path, decoded. */
  readonly parts: readonly string[];
  /** The first value of a name in the query string; undefined for none and for an empty one, as forms send them. */
  readonly query: (name: string) => string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Aborted when the reader goes. */
  readonly signal: AbortSignal;
  /** The address that the request came from, as far as it is known. */
  readonly client: string;
  /** Whether something else than these pages or the address bar led here, or may have. */
  readonly isFromElsewhere: boolean;
};

/** Makes the answer to a request. @throws MovedexError with a sentence for the reader */
export type PageHandler = (call: PageCall) => Promise<Page | FileAnswer>;

export type PageRequest = Pick<PageCall, "parts" | "now" | "client" | "isFromElsewhere"> & {
  readonly page: PageName;
  /** The path as it was requested, and what followed the question mark. */
  readonly path: string;
  readonly search: string;
  readonly hasSql: boolean;
};

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
  return namesSnapshot(plain) ? plain : String(parseVersion(text));
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
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
  const dated = VERSIONS.flatMap((name) => DATE.exec(given[name]?.trim() ?? "")?.map((day) => [name, day] as const) ?? []);
  if (dated.length === 0) return given;
  const timed = sealedAmong(await statusQueries(engine).listSnapshots()).filter(({ ledgerTime }) => ledgerTime !== null);
  return { ...given, ...Object.fromEntries(dated.map(([name, day]) => [name, versionBy(day, timed)])) };
}

function versionBy(day: string, timed: ReturnType<typeof sealedAmong>): string {
  const start = Date.parse(`${day}T00:00:00Z`);
  // A date that does not exist, such as the 31st of February, is another day to some parsers.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day)
    throw new ConfigError(`\`${day}\` is not a date such as 2026-03-01.`);
  const found = timed.find(({ ledgerTime }) => Number(ledgerTime) < start + DAY_MS);
  if (found !== undefined) return String(found.ledgerVersion);
  const [oldest, why] = [timed.at(-1), `the archive has no snapshot from ${day} (UTC);`];
  if (oldest === undefined) throw new NotHeldError(`${why} of no snapshot is the time known.`, { versions: [] });
  const { ledgerVersion, ledgerTime } = oldest;
  const time = new Date(Number(ledgerTime)).toISOString().slice(0, 16);
  throw new NotHeldError(`${why} the oldest whose time is known is of ${time} (version ${ledgerVersion}).`, {
    versions: [`${ledgerVersion}`],
  });
}
