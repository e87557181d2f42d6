import { describe, expect } from "vitest";
import { SimLedger, startSimNode } from "../../../sim/index.ts";
import { ended, runCli, temporaryDirectory, test } from "../../support/index.ts";
import { crawl } from "./support/served-archive.ts";

async function smallArchive(db: string): Promise<void> {
  const ledger = new SimLedger({ chainId: 7 });
  ledger.genesis((writer) => writer.account("0x1"));
  ledger.advance(100n);
  await using node = await startSimNode({ ledger });
  await crawl(db, node.url, ["0x1"]);
}

describe("movedex serve", () => {
  test.each([
    ["no database", [], "movedex sync"],
    ["a port that is none", ["--port", "70000"], "65535"],
    ["an upstream that is not a URL", ["--upstream", "node"], "https://host/v1"],
    ["an upstream with a password in it", ["--upstream", "https://a:b@host/v1"], "password"],
    ["an unknown way between", ["--between", "near"], "exact, stable"],
  ])("%s is refused with a sentence, and an exit code that tells a slip from a failure", async (what, args, sentence) => {
    using place = temporaryDirectory();
    const db = place.file("archive.db");
    if (what !== "no database") await smallArchive(db);
    const { code, stderr } = await runCli(["serve", "--db", db, ...args]);
    expect(code).toBe(what === "no database" ? 1 : 64);
    expect(stderr).toContain(sentence);
  });

  test("a node of another chain ends it with exit code 4; one that does not answer does not", async ({ place }) => {
    const db = place.file("archive.db");
    await smallArchive(db);
    const other = await startSimNode({ ledger: new SimLedger({ chainId: 9 }) });
    const wrong = await runCli(["serve", "--db", db, "--port", "0", "--upstream", other.url]);
    expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining("chain 9")]);
    await other.close();
    const signals = (deliver: (signal: "SIGINT") => void) => void setTimeout(() => deliver("SIGINT"), 50);
    await ended(runCli(["serve", "--db", db, "--port", "0", "--upstream", other.url], { signals }));
  });
});
