import { expect, test } from "vitest";
import { openStore } from "../../../src/core/work/store.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { frameworkHistory, loadHistory, readReleases } from "../../support/index.ts";
import { NOON, temporaryStore } from "../../support/store/temporary-store.ts";
import { viewDigests } from "../../support/store/view-rows.ts";

eachPostgres("recorded releases on a file and on a server (skipped where they are not beside the repository)", (open) => {
  test.skipIf(frameworkHistory === undefined)("are the same in every public view, digests included", async () => {
    await using file = await temporaryStore();
    const url = (await open()).url();
    const server = await openStore(url, { mode: "write", now: () => NOON });
    const folder = frameworkHistory as string;
    const releases = readReleases(folder).filter((_, i) => [0, 3, 22, 44, 66, 88, 110, 133].includes(i));
    for (const store of [file, server]) await loadHistory(store.engine, folder, releases);
    await server.close();
    const expected = await viewDigests(file.path);
    expect(await viewDigests(url)).toEqual(expected);
    expect(Number.parseInt(expected["functions_at"] ?? "", 10)).toBeGreaterThan(1_000);
  });
});
