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
