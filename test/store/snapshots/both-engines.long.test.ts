import { describe, expect, test } from "vitest";
import { openStore } from "../../../src/store/store.ts";
import { loadHistory, readReleases } from "../../bench/store/history.ts";
import { runCli } from "../../support/run-cli.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";
import { NOON, temporaryStore } from "../support/temporary-store.ts";
import { viewDigests } from "../support/view-rows.ts";

eachPostgres("every twentieth recorded release on a file and on a server", (open) => {
  describe.skipIf(frameworkHistory === undefined)("(skipped where they are not beside the repository)", () => {
    test("are the same in every public view, digests included, and sound", async () => {
      await using file = await temporaryStore();
      const url = (await open()).url();
      const server = await openStore(url, { mode: "write", now: () => NOON });
      const folder = frameworkHistory as string;
      const releases = readReleases(folder, "aptos-devnet").filter((_, i) => i % 20 === 0);
      for (const store of [file.store, server]) await loadHistory(store, folder, releases);
      await server.close();
      expect(await viewDigests(url)).toEqual(await viewDigests(file.path));
      expect(await runCli(["verify", "--db", url])).toMatchObject({ code: 0 });
    });
  });
});
