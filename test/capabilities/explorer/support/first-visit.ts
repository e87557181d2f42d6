import { rawRequest } from "../../../support/raw-request.ts";
import { typed } from "./served-pages.ts";

/** Bytes over the wire of a page, its style, its script and its icon, for a browser that has none of them; headers are not counted. */
export async function bytesOfFirstVisit(origin: string, path: string): Promise<number> {
  const ask = (wanted: string) => rawRequest(origin, { path: wanted, headers: { "accept-encoding": "br, gzip", ...typed } });
  const page = await rawRequest(origin, { path, headers: { ...typed } });
  const assets = [
    ...Buffer.from(page.body)
      .toString("utf8")
      .matchAll(/(?:href|src)="(?:\.{1,2}\/)*(static\/[^"]+)"/g),
  ];
  const answers = await Promise.all([path, ...assets.map(([, asset]) => `/${asset}`)].map(ask));
  return answers.reduce((sum, { body }) => sum + body.length, 0);
}
