import { describe, expect } from "vitest";
import { SimLedger, startSimNode } from "../../../sim/index.ts";
import { ended, jsonLines, runCli, temporaryDirectory, test } from "../../support/index.ts";
import { startServeProcess } from "./support/serve-process.ts";
import { crawl } from "./support/served-archive.ts";

async function smallArchive(db: string): Promise<void> {
  const ledger = new SimLedger({ chainId: 7 });
  ledger.genesis((writer) => writer.account("0x1"));
  ledger.advance(100n);
  await using node = await startSimNode({ ledger });
  await crawl(db, node.url, ["0x1"]);
}

describe("movedex serve", () => {
  test("says where it listens, answers there, and ends well on SIGTERM", async ({ place }) => {
    const db = place.file("archive.db");
    await smallArchive(db);
    await using served = await startServeProcess(["--db", db, "--log-requests"]);
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(await (await fetch(`${served.url}/accounts/0x1`)).json()).toMatchObject({ sequence_number: "0" });
    expect(await served.stop()).toBe(0);
    const lines = jsonLines(served.stderr());
    expect(lines[0]).toMatchObject({ level: "info", url: served.url });
    expect(lines[1]).toMatchObject({ method: "GET", target: "/v1/accounts/0x1", status: 200, operation: "account" });
    expect(lines.at(-1)).toMatchObject({ message: expect.stringContaining("SIGTERM") });
  });

  test("listens where it is told, and prints one JSON object when asked", async ({ place }) => {
    const db = place.file("archive.db");
    await smallArchive(db);
    const { json } = await ended(
      runCli(["serve", "--db", db, "--port", "0", "--host", "localhost", "--between", "stable", "--json"], {
        signals: (deliver) => void setTimeout(() => deliver("SIGINT"), 50),
      }),
    );
    expect(json()).toMatchObject({
      url: expect.stringMatching(/^http:\/\/(127\.0\.0\.1|\[::1\]):\d+\/v1$/),
      database: db,
      between: "stable",
      upstream: null,
    });
  });

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
