import { pagesPlugin } from "../../../../src/capabilities/explorer/open.ts";
import { type RawResponse, rawRequest } from "../../../support/raw-request.ts";
import { type ServedTest, type Settings, serveDatabase, textOf } from "../../serve/support/served-archive.ts";

/** What a browser says of a request whose address was typed: pages that cost much are made for no stranger's. */
export const typed: Readonly<Record<string, string>> = { "sec-fetch-site": "none" };

/** On a busy machine its process alone may take longer to start than a question may take. */
export const SQL_MS = 120_000;

/** An answer of a page, with its text. */
export type PageAnswer = RawResponse & { readonly text: string };

/** A database served with its pages, until the end of its scope. */
export type ServedPages = ServedTest & {
  /** A page, as somebody who typed its address gets it. */
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<PageAnswer>;
};

/** Serves a database with its pages. */
export async function servePages(path: string, settings: Settings = {}): Promise<ServedPages> {
  const served = await serveDatabase(path, { pages: pagesPlugin(path, { sqlMs: SQL_MS }), ...settings });
  return {
    ...served,
    get: async (page, headers = {}) => {
      const response = await rawRequest(served.origin, { path: page, headers: { ...typed, ...headers } });
      return { ...response, text: textOf(response) };
    },
  };
}
