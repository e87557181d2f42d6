import { describe, expect, test } from "vitest";
import { replayHistory, startSimNode } from "../../../../sim/index.ts";
import { eachPostgres } from "../../../engine/support/postgres-databases.ts";
import { ended, frameworkHistory, ManualClock, runCli, temporaryDirectory } from "../../../support/index.ts";
import { mirror } from "../support/mirror.ts";
import { type Question, questionsTo } from "../support/questions.ts";
import { type Ask, askDatabase, crawl, jsonOf, type Settings } from "../support/served-archive.ts";
import { variedLedger } from "../support/varied-ledger.ts";

/** All that a client sees of an answer, but for the time and the connection. */
async function seen(ask: Ask, { target, headers }: Question) {
  const { status, headers: got, body } = await ask(target, { headers });
  const { date: _, connection: __, "keep-alive": ___, ...kept } = got;
  return { target, status, headers: kept, body: body.toString("latin1") };
}

/** Expects the same answers of a file and a server. @returns how many questions have an answer */
async function answeredAlike(file: string, server: string, questions: Iterable<Question>, settings: Settings = {}): Promise<number> {
  await using onFile = await askDatabase(file, settings);
  await using onServer = await askDatabase(server, settings);
  let found = 0;
  for (const question of questions) {
    const [ours, theirs] = [await seen(onFile.ask, question), await seen(onServer.ask, question)];
    expect(theirs).toEqual(ours);
    if (ours.status === 200) found += 1;
  }
  return found;
}

eachPostgres("an archive", (open) => {
  const file = temporaryDirectory().file("archive.db");

  test("gives the same answers from a file and a server, whatever is asked and whichever versions between are answered", async () => {
    const [at, scene] = [await open(), variedLedger()];
    await using node = await startSimNode({ ledger: scene.ledger });
    while (scene.next() !== undefined) await crawl(file, node.url, scene.accounts);
    const trace = ["trace", "--rpc", node.url, "--db", file, "--rate", "0"];
    await ended(runCli(trace, { clock: new ManualClock({ skipSleeps: true }) }));
    await mirror(file, at.url());
    for (const between of ["exact", "stable"] as const) {
      const settings: Settings = { between, clock: { now: () => 5_000_000, monotonic: () => 0, sleep: async () => undefined } };
      const questions = [...questionsTo(scene, [499, 500, 501, 700, 1400])];
      expect(await answeredAlike(file, at.url(), questions, settings)).toBeGreaterThan(80);
    }
  });

  const accounts = ["0x1", "0x3", "0x4", "0x5", "0x7", "0xa"];
  describe.skipIf(frameworkHistory === undefined)("of releases of the framework (skipped without ../shared/data)", () => {
    test("gives the same from a file and from a server: every module, list and record in both formats", async () => {
      const [at, releasesFile] = [await open(), temporaryDirectory().file("releases.db")];
      const { ledger, releases } = replayHistory({ directory: frameworkHistory ?? "" });
      await using node = await startSimNode({ ledger });
      const versions = [20, 60, 100, 133].map((index) => releases[index]?.version ?? 0n);
      for (const version of versions) await crawl(releasesFile, node.url, accounts, { version });
      await mirror(releasesFile, at.url());
      expect(await answeredAlike(releasesFile, at.url(), await questionsToAll(releasesFile, accounts, versions))).toBeGreaterThan(1000);
    });
  });
});

/** Each account, its list, a page of it and its modules, in both formats. */
async function questionsToAll(file: string, accounts: readonly string[], versions: readonly bigint[]): Promise<Question[]> {
  await using served = await askDatabase(file);
  const found: string[] = [];
  for (const at of versions.map((version) => `ledger_version=${version}`)) {
    for (const account of accounts.map((address) => `/v1/accounts/${address}`)) {
      found.push(`${account}?${at}`, `${account}/modules?${at}`, `${account}/modules?${at}&limit=7`);
      const list = jsonOf(await served.ask(`${account}/modules?${at}`)) as unknown as readonly { abi: { name: string } | null }[];
      for (const { abi } of list) if (abi !== null) found.push(`${account}/module/${abi.name}?${at}`);
    }
  }
  return found.flatMap((target) => ["application/json", "application/x-bcs"].map((accept) => ({ target, headers: { accept } })));
}
