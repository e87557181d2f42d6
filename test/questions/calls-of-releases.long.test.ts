import { expect, test } from "vitest";
import { databaseAt } from "../../src/core/db/engine/database-at.ts";
import { openStore } from "../../src/core/work/store.ts";
import { frameworkHistory, loadHistory, moduleReader, readReleases, temporaryDirectory } from "../support/index.ts";
import { callLines, isReadByOther } from "../support/second-reader/call-lines.ts";

const networks = ["aptos-devnet", "aptos-mainnet", "aptos-testnet"];

test.skipIf(frameworkHistory === undefined)(
  "function_calls_at has the calls of every recorded module, as a second reader finds them where it can read (skipped where they are not there)",
  async () => {
    const folder = frameworkHistory as string;
    const read = moduleReader(folder);
    const seen = new Set<string>();
    let compared = 0;
    for (const network of networks) {
      using place = temporaryDirectory();
      const path = place.file("archive.db");
      const store = await openStore(path, { mode: "write", now: () => 0 });
      const releases = readReleases(folder, network);
      const versions = await loadHistory(store.engine, folder, releases);
      await store.close();
      await using door = await databaseAt(path).openToQuery();
      for (const [i, { modules }] of releases.entries()) {
        for (const [id, sha256] of modules) {
          if (seen.has(sha256)) continue;
          seen.add(sha256);
          const sql =
            "SELECT function, callee_address, callee_module, callee_function FROM function_calls_at WHERE ledger_version = ? AND address = ? AND module = ?";
          const { rows } = await door.query(sql, [versions[i] as bigint, ...id.split("::")]);
          const lines = (await Array.fromAsync(rows)).map(([caller, ...callee]) => `${caller} → ${callee.join("::")}`);
          const { bytes } = read(sha256);
          expect(lines.toSorted(), `${id} ${sha256}`).toEqual([...callLines(bytes)].toSorted());
          if (isReadByOther(bytes)) compared += 1;
        }
      }
    }
    expect([seen.size, compared]).toEqual([1889, 760]);
  },
);
