import { accountPage } from "./account/account-page.ts";
import { changesFeed, changesPage } from "./changes/changes-page.ts";
import { coveragePage } from "./coverage/coverage-page.ts";
import { gapsPage } from "./coverage/gaps-page.ts";
import { diffPage } from "./diff/diff-page.ts";
import { homePage } from "./home/home-page.ts";
import { itemPage } from "./item/item-page.ts";
import { modulePage } from "./module/module-page.ts";
import type { PageHandler } from "./page.ts";
import type { PageName } from "./routes.ts";
import { searchPage } from "./search/search-page.ts";
import { suggestions } from "./search/suggestions.ts";
import { sqlFile, sqlJson, sqlPage } from "./sql/sql-page.ts";

export const handlers: Readonly<Record<PageName, PageHandler>> = {
  "page.home": homePage,
  "page.changes": changesPage,
  "page.feed": changesFeed,
  "page.coverage": coveragePage,
  "page.gaps": gapsPage,
  "page.sql": sqlPage,
  "page.sql.csv": sqlFile,
  "page.sql.json": sqlJson,
  "page.search": searchPage,
  "page.suggest": suggestions,
  "page.account": accountPage,
  "page.module": modulePage,
  "page.item": itemPage,
  "page.diff": diffPage,
};
