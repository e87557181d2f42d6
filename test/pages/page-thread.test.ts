import { describe, expect, test } from "vitest";
import { makerOnThread } from "../../src/pages/page-thread.ts";
import { pagesPlugin } from "../../src/pages/pages-plugin.ts";
import { asWords } from "../support/command/as-words.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { sampleArchive } from "./support/archives.ts";
import { servePages } from "./support/served-pages.ts";

const place = temporaryDirectory();
const sample = await sampleArchive(place.file("archive.db"));

const request = (path: string) => ({
  page: "page.home" as const,
  archive: 1,
  path,
  search: "",
  parts: [],
  now: Date.UTC(2026, 0, 2),
  client: "127.0.0.1",
  isFromElsewhere: false,
  version: "0.0.0",
  hasSql: true,
});

describe("the thread of the pages", () => {
  test("makes what this thread makes, of every kind", async () => {
    const clock = { now: () => Date.UTC(2026, 0, 2), monotonic: () => 0, sleep: async () => undefined };
    await using here = await servePages(sample.db, { clock });
    await using apart = await servePages(sample.db, { clock, pages: pagesPlugin(sample.db) });
    const module = `/module/${sample.exchange}/pool`;
    const paths = asWords`
      / /changes /changes.atom /coverage /search?q=pool /account/${sample.exchange} ${module} ${module}/abi.json
      /diff/${sample.exchange}/pool?from=${sample.first}&to=${sample.last} /module/0x1/none /module/nonsense/none
    `;
    for (const path of paths) {
      const [ours, theirs] = [await here.get(path), await apart.get(path)];
      expect([path, theirs.status, theirs.headers["content-type"], theirs.text]).toEqual([
        path,
        ours.status,
        ours.headers["content-type"],
        ours.text,
      ]);
    }
  });

  test("fails what it has in hand when it cannot open the archive, and makes others afterwards", async () => {
    const thread = makerOnThread(place.file("missing.db"));
    const never = new AbortController().signal;
    await expect(thread.make(request("/"), never)).rejects.toThrow("there is no database");
    await expect(thread.make(request("/"), never)).rejects.toThrow("there is no database");
    await thread.close();
    const other = makerOnThread(sample.db);
    expect((await other.make(request("/"), never)).answer.status).toBe(200);
    await other.close();
    // It is begun again when it is wanted again.
    expect((await other.make(request("/"), AbortSignal.abort())).answer.status).toBe(200);
    await other.close();
  });
});
