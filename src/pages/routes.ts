import { accountPage } from "./account/account-page.ts";
import { changesFeed, changesPage } from "./changes/changes-page.ts";
import { coveragePage } from "./coverage/coverage-page.ts";
import { diffPage } from "./diff/diff-page.ts";
import { homePage } from "./home/home-page.ts";
import { moduleFile } from "./module/module-files.ts";
import { modulePage } from "./module/module-page.ts";
import type { PageHandler, Section } from "./page.ts";
import { searchPage } from "./search/search-page.ts";
import { sqlFile, sqlPage } from "./sql/sql-page.ts";

/** A page and the path that it answers on, as the framework's router writes it. */
export type PageRoute = {
  readonly path: string;
  /** A short name for metrics and logs. */
  readonly name: string;
  readonly handle: PageHandler;
  /** Whether it bounds itself how many are made at once: what takes seconds must not keep other pages waiting. */
  readonly hasOwnLimit?: boolean;
  /** The part of the pages that can be left out with it. */
  readonly section?: Section;
};

/** Every page. */
export const pageRoutes: readonly PageRoute[] = [
  { path: "/", name: "page.home", handle: homePage },
  { path: "/changes", name: "page.changes", handle: changesPage },
  { path: "/changes.atom", name: "page.feed", handle: changesFeed },
  { path: "/coverage", name: "page.coverage", handle: coveragePage },
  { path: "/sql", name: "page.sql", handle: sqlPage, hasOwnLimit: true, section: "sql" },
  { path: "/sql.csv", name: "page.sql.csv", handle: sqlFile, hasOwnLimit: true, section: "sql" },
  { path: "/search", name: "page.search", handle: searchPage },
  { path: "/account/:address", name: "page.account", handle: accountPage },
  { path: "/module/:address/:name", name: "page.module", handle: modulePage },
  { path: "/module/:address/:name/:file", name: "page.file", handle: moduleFile },
  { path: "/diff/:address/:name", name: "page.diff", handle: diffPage },
];
