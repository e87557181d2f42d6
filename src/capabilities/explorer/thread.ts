import { Html } from "../changes/pages/html.ts";
import { makePagesHere } from "../pages/make-page.ts";
import type { PageHandler, PageName } from "../pages/page.ts";
import { specBody } from "../serve/spec/openapi.ts";
import { accountPage } from "./account/account-page.ts";
import { changesPage } from "./changes/changes-page.ts";
import { changesFeed } from "./changes/feed.ts";
import { coveragePage } from "./coverage/coverage-page.ts";
import { gapsPage, goingPage } from "./coverage/gaps-page.ts";
import { diffPage } from "./diff/diff-page.ts";
import { homePage } from "./home/home-page.ts";
import { errorPage, itemPage } from "./item/item-page.ts";
import { modulePage } from "./module/module-page.ts";
import { searchPage, suggestions } from "./search/search-page.ts";
import { sqlFile, sqlJson, sqlPage } from "./sql/sql-page.ts";

const handlers: Readonly<Record<PageName, PageHandler>> = {
  "page.home": homePage,
  "page.changes": changesPage,
  "page.feed": changesFeed,
  "page.coverage": coveragePage,
  "page.gaps": gapsPage,
  "page.going": goingPage,
  "page.sql": sqlPage,
  "page.sql.csv": sqlFile,
  "page.sql.json": sqlJson,
  "page.search": searchPage,
  "page.suggest": suggestions,
  "page.account": accountPage,
  "page.module": modulePage,
  "page.item": itemPage,
  "page.error": errorPage,
  "page.diff": diffPage,
  "page.spec": async () => ({ title: "API", section: "api", body: Html.of([specBody], []) }),
};

makePagesHere(handlers);
