import { describe, expect } from "vitest";
import { openForwarder } from "../../../src/capabilities/serve/upstream/forwarder.ts";
import { isInferred } from "../../../src/core/node/protocol/ledger-head.ts";
import { asWords, ManualClock, nodeOfFile, rawRequest, runCli, temporaryDirectory, test } from "../../support/index.ts";
import { askDatabase, crawl, jsonOf, serveDatabase } from "./support/served-archive.ts";
import { variedLedger } from "./support/varied-ledger.ts";

// The archive holds 500, 900 and 1400. Modules and a key changed at 501, and a module went at 901; trace found both.
const scene = variedLedger();
const [framework = "", code = "", object = ""] = scene.accounts;
const place = temporaryDirectory();
const plain = place.file("plain.db");
const traced = place.file("traced.db");
const node = await nodeOfFile({ ledger: scene.ledger });
for (let version = scene.next(); version !== undefined; version = scene.next()) {
  for (const db of [plain, traced]) await crawl(db, node.url, scene.accounts);
}
const { code: exit, stderr } = await runCli(["trace", "--rpc", node.url, "--db", traced, "--rate", "0"], {
  clock: new ManualClock({ skipSleeps: true }),
});
expect([exit, stderr]).toEqual([0, expect.any(String)]);

const versions = Array.from({ length: 30 }, (_, index) => 500 + index * 30).concat([501, 502, 899, 901, 902]);
const paths = (version: number) =>
  asWords`
    /accounts/${framework}/module/coin /accounts/${code}/module/only /accounts/${object}/module/late /accounts/${framework}/modules
    /accounts/${code} /accounts/${object}/modules
  `.map((path) => `${path}?ledger_version=${version}`);

describe("what trace found exactly", () => {
  test("lets versions between snapshots be answered, always as the node answers them", async () => {
    await using stable = await askDatabase(traced, { between: "stable" });
    await using untraced = await askDatabase(plain, { between: "stable" });
    let [answered, without] = [0, 0];
    for (const version of versions) {
      for (const path of paths(version)) {
        const ours = await stable.ask(`/v1${path}`);
        if (ours.headers["x-movedex-observed-at"] === undefined) continue;
        const theirs = await rawRequest(node.url + path);
        expect([path, ours.status, ours.body.toString()]).toEqual([path, theirs.status, theirs.body.toString()]);
        answered += 1;
        if ((await untraced.ask(`/v1${path}`)).headers["x-movedex-observed-at"] !== undefined) without += 1;
      }
    }
    expect(answered).toBe(versions.length * paths(0).length);
    expect(without).toBeLessThan(answered - 66);
  });

  test("a point read at the very version is an observation, with and without inferring", async () => {
    await using exact = await askDatabase(traced);
    for (const version of [500, 501]) {
      const answer = await exact.ask(`/v1/accounts/${framework}/module/coin?ledger_version=${version}`);
      expect([answer.status, answer.headers["x-movedex-observed-at"], answer.headers["x-movedex-inferred"]]).toEqual([
        200,
        `${version}`,
        undefined,
      ]);
    }
    expect((await exact.ask(`/v1/accounts/${framework}/module/coin?ledger_version=703`)).status).toBe(404);
    const gone = await exact.ask(`/v1/accounts/${code}/module/only?ledger_version=901`);
    expect([gone.status, jsonOf(gone)["error_code"], gone.headers["x-movedex-observed-at"]]).toEqual([404, "module_not_found", "901"]);
  });
});

describe("an inferred answer", () => {
  const unchanged = `/accounts/${object}/modules?ledger_version=1000`;

  test("is marked, an absence too, and an observed one is not", async () => {
    await using stable = await askDatabase(plain, { between: "stable" });
    for (const path of [unchanged, `/accounts/${object}/module/nope?ledger_version=1000`]) {
      expect((await stable.ask(`/v1${path}`)).headers).toMatchObject({
        "x-movedex-inferred": "true",
        "x-movedex-observed-at": "900, 1400",
      });
    }
    expect((await stable.ask(`/v1/accounts/${object}/modules?ledger_version=900`)).headers).not.toHaveProperty("x-movedex-inferred");
  });

  test("keeps its mark through another archive in front", async () => {
    await using stable = await serveDatabase(plain, { between: "stable" });
    const forwarder = openForwarder({ url: stable.url, connections: 1, silenceMs: 5000 });
    await using front = await serveDatabase(plain, { upstream: forwarder });
    expect((await rawRequest(front.url + unchanged)).headers).toMatchObject({
      "x-movedex-source": "upstream",
      "x-movedex-inferred": "true",
    });
    await forwarder.close();
  });

  test("is not taken for an observation by a crawler: the account is a gap, and a run of nothing else fails", async ({ place }) => {
    const mixed = place.file("mixed.db");
    for (const version of [900n, 1400n]) await crawl(mixed, node.url, [object], { version });
    await crawl(mixed, node.url, [code], { version: 1000n });
    await using stable = await serveDatabase(mixed, { between: "stable" });
    const second = place.file("second.db");
    expect(await crawl(second, stable.url, [code, object], { version: 1000n })).toMatchObject({
      status: "sealed_with_gaps",
      gaps: 1,
      accounts: 1,
    });
    await using crawled = await askDatabase(second);
    expect(jsonOf(await crawled.ask("/v1/snapshots/1000"))["missing"]).toEqual([{ address: object, reason: "inferred" }]);
    expect((await crawled.ask(`/v1/accounts/${object}/modules`)).status).toBe(404);
    expect(await crawl(place.file("third.db"), stable.url, [object], { version: 1000n })).toMatchObject({
      error: { code: "MOVEDEX_NODE_INFERRED" },
    });
  });

  test("is known by the two versions that an older movedex names without marking it", () => {
    expect(isInferred({ "x-movedex-observed-at": "900, 1400" })).toBe(true);
    expect(isInferred({ "x-movedex-observed-at": "900" })).toBe(false);
    expect(isInferred({})).toBe(false);
  });
});
