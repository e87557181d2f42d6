import { beforeAll, describe, expect, test } from "vitest";
import { replayHistory, startSimNode } from "../../../../sim/index.ts";
import { eachPostgres, type TestDatabase } from "../../../engine/support/postgres-databases.ts";
import { frameworkHistory } from "../../../support/shared-data.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";
import { mirror } from "../support/mirror.ts";
import { type Ask, askDatabase, crawl, jsonOf } from "../support/served-archive.ts";

const ACCOUNTS = ["0x1", "0x3", "0x4", "0x5", "0x7", "0xa"];
const formats = ["application/json", "application/x-bcs"];

describe.skipIf(frameworkHistory === undefined)("releases of the framework (skipped without ../shared/data)", () => {
  eachPostgres("served", (open) => {
    const place = temporaryDirectory();
    const file = place.file("archive.db");
    let at: TestDatabase;
    let versions: readonly bigint[] = [];

    beforeAll(async () => {
      at = await open();
      const { ledger, releases } = replayHistory({ directory: frameworkHistory ?? "" });
      await using node = await startSimNode({ ledger });
      versions = [20, 60, 100, 133].map((index) => releases[index]?.version ?? 0n);
      for (const version of versions) await crawl(file, node.url, ACCOUNTS, { version });
      await mirror(file, at.url());
    });

    test("are the same from a file and from a server: every module, list and record in both formats", async () => {
      await using onFile = await askDatabase(file);
      await using onServer = await askDatabase(at.url());
      let found = 0;
      for (const target of await targets(onFile.ask, versions)) {
        for (const accept of formats) {
          const [ours, theirs] = [await seen(onFile.ask, target, accept), await seen(onServer.ask, target, accept)];
          expect(theirs).toEqual(ours);
          if (ours[2] === 200) found += 1;
        }
      }
      expect(found).toBeGreaterThan(1000);
    });
  });
});

async function targets(ask: Ask, versions: readonly bigint[]): Promise<string[]> {
  const found: string[] = [];
  for (const version of versions) {
    for (const account of ACCOUNTS) {
      const at = `ledger_version=${version}`;
      found.push(`/v1/accounts/${account}?${at}`, `/v1/accounts/${account}/modules?${at}`, `/v1/accounts/${account}/modules?${at}&limit=7`);
      const list = jsonOf(await ask(`/v1/accounts/${account}/modules?${at}`)) as unknown as readonly { abi: { name: string } | null }[];
      for (const { abi } of list) if (abi !== null) found.push(`/v1/accounts/${account}/module/${abi.name}?${at}`);
    }
  }
  return found;
}

async function seen(ask: Ask, target: string, accept: string) {
  const { status, headers, body } = await ask(target, { headers: { accept } });
  const { date: _, connection: __, "keep-alive": ___, ...kept } = headers;
  return [target, accept, status, kept, body.toString("base64")] as const;
}
