import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { faults } from "../../../sim/index.ts";
import { sized } from "../../run-size.ts";
import { COUNT, type DatabaseContent, databaseContent, ended, ofAccount, runCli, useNights } from "../../support/index.ts";
import { holdsFor } from "../../support/property/law.ts";

const at = useNights();
const broken = faults.storageFailure("deserializing");

/** Requests for an account at a version. */
const ofAccountAt = (address: string, version: bigint) => (request: { readonly target: string }) =>
  ofAccount(address)(request) && request.target.includes(`ledger_version=${version}`);

const gapsOf = async (name: string, ...flags: string[]) => (await runCli(["gaps", "--db", at.place.file(name), "--json", ...flags])).json();

let quietNights: DatabaseContent | undefined;
/** The content of a database in which both versions were read without any trouble. */
async function contentOfQuietNights() {
  if (quietNights !== undefined) return quietNights;
  for (const version of [at.scene.first, at.scene.second]) await ended(at.sync(at.node, "quiet.db", version));
  quietNights = databaseContent(at.place.file("quiet.db"));
  return quietNights;
}

describe("gaps of earlier nights", () => {
  test("are filled into their own snapshot by a later night, which ends as if nothing had ever been wrong", async () => {
    const address = at.scene.addresses[3] as string;
    await using node = await at.nodeWith([{ fault: broken, match: ofAccount(address) }]);
    await ended(at.sync(node, "a.db", at.scene.first), 2);
    expect(await gapsOf("a.db")).toMatchObject({
      snapshots: [{ ledger_version: `${at.scene.first}`, open: 1, parked: 0, final: 0 }],
      gaps: [{ address, reason: "server_error", error_code: "internal_error", http_status: 500, state: "open" }],
    });
    const { stdout, json } = await ended(at.sync(at.node, "a.db", at.scene.second));
    const retried = JSON.parse(stdout.split("\n")[0] as string);
    expect(retried).toMatchObject({ ledger_version: `${at.scene.first}`, status: "sealed", gaps: 0, gaps_retried: 1, gaps_filled: 1 });
    expect(json()).toMatchObject({ ledger_version: `${at.scene.second}`, status: "sealed" });
    expect(databaseContent(at.place.file("a.db"))).toEqual(await contentOfQuietNights());
    expect((await runCli(["gaps", "--db", at.place.file("a.db")])).stdout).toMatch(/^no gaps: /);
    await ended(runCli(["verify", "--db", at.place.file("a.db")]));
  });

  test("are tried so often and no more; they stay gaps, nothing is taken for absent, and the nights after end with 0", async () => {
    const address = at.scene.addresses[3] as string;
    await using node = await at.nodeWith([{ fault: broken, match: ofAccountAt(address, at.scene.first) }]);
    const asked = () =>
      node.requests.filter(({ path, query }) => ofAccountAt(address, at.scene.first)({ target: `${path}?${query}` })).length;
    await ended(at.sync(node, "a.db", at.scene.first), 2);
    const tries: number[] = [asked()];
    for (let night = 1n; night <= 3n; night++) {
      await ended(at.sync(node, "a.db", at.scene.second - night, ["--retry-gaps", "5"]));
      tries.push(asked());
    }
    expect(tries[1]).toBeGreaterThan(tries[0] as number);
    expect(tries.slice(2)).toEqual([tries[1], tries[1]]);
    expect(await gapsOf("a.db", "--retry-gaps", "5")).toMatchObject({
      snapshots: [{ open: 0, parked: 1 }],
      gaps: [{ attempts: 6, state: "parked" }],
    });
    writeFileSync(at.place.file("a.toml"), "[sync]\nretry-gaps = 5\n");
    expect((await runCli(["gaps", "--db", at.place.file("a.db"), "--config", at.place.file("a.toml")])).stdout).toMatch(
      /^ledger version \d+: 1 gap \(0 to be tried again, 1 parked, 0 final\)\n.*\n.*\n +\d+ {2}0x\w+ {2}server_error +6 {2}parked /,
    );
    expect(at.rows("a.db", `SELECT count(*) FROM accounts_at WHERE ledger_version = ${at.scene.first}`)).toEqual([[COUNT]]);
    expect(at.rows("a.db", "SELECT count(*) FROM module_changes WHERE to_sha256 IS NULL")).toEqual([[0]]);
  });

  test("below the node's horizon are left alone, and with --retry-gaps 0 all are", async () => {
    const address = at.scene.addresses[3] as string;
    await using node = await at.nodeWith([{ fault: broken, match: ofAccount(address), times: 1000 }]);
    await ended(at.sync(node, "a.db", at.scene.first), 2);
    await at.sync(at.node, "a.db", at.scene.second - 1n, ["--retry-gaps", "0"]);
    expect(await gapsOf("a.db")).toMatchObject({ snapshots: [{ open: 1 }] });
    at.scene.ledger.pruneTo(at.scene.first + 100n);
    await ended(at.sync(at.node, "a.db", at.scene.second));
    expect(await gapsOf("a.db")).toMatchObject({ snapshots: [{ open: 1, final: 0 }] });
  });

  test("are denied of sealed snapshots only: one that is not sealed is named with the accounts it waits for", async () => {
    const gaps = (...flags: string[]) => runCli(["gaps", "--db", at.place.file("a.db"), ...flags]);
    await at.sync(at.node, "a.db", at.scene.first, ["--max-requests", "9"]);
    const left = at.rows("a.db", "SELECT count(*) FROM _visits WHERE state = 'planned'").flat()[0];
    const unsealed = `ledger version ${at.scene.first}: not sealed yet, ${left} accounts still to be read, 0 without an answer so far\n`;
    expect(left).toBeGreaterThan(1);
    expect((await ended(gaps())).stdout).toBe(`no sealed snapshot, so nothing is known of gaps yet\n${unsealed}`);
    for (const option of ["--at", "--ledger-version"]) expect((await ended(gaps(option, `${at.scene.first}`))).stdout).toContain(unsealed);
    const unfinished = [{ ledger_version: `${at.scene.first}`, status: "unsealed", accounts_left: left, gaps: 0 }];
    expect((await ended(gaps("--json"))).json()).toMatchObject({ snapshots: [], unfinished });
    await ended(at.sync(at.node, "a.db", at.scene.first));
    expect((await ended(gaps("--json"))).json()).toMatchObject({ unfinished: [] });
    expect((await ended(gaps())).stdout).toBe("no gaps: every sealed snapshot has an answer for every account it was sealed with\n");
  });

  test("any accounts failing in any nights: once all have answered, the database is that of quiet nights", async () => {
    const failing = fc.uniqueArray(fc.tuple(fc.nat(COUNT), fc.constantFrom("first", "second")), { maxLength: 6, selector: String });
    let run = 0;
    await holdsFor({ numRuns: sized(1, 6), seed: 11 }, [failing, fc.boolean()], async (plan, isBackwards) => {
      const name = `any-${run++}.db`;
      const rules = plan.map(([account, when]) => ({
        fault: broken,
        match: ofAccountAt(at.scene.addresses[account] as string, at.scene[when as "first" | "second"]),
      }));
      const versions = [at.scene.first, at.scene.second];
      {
        await using node = await at.nodeWith(rules);
        for (const version of isBackwards ? versions.toReversed() : versions) await at.sync(node, name, version);
      }
      await ended(at.sync(at.node, name, at.scene.second));
      expect(databaseContent(at.place.file(name))).toEqual(await contentOfQuietNights());
    });
  });
});

test.each(["deleted", "moved, and another put there"])(
  "a database that does not stay where it is %s in mid-run: the run fails, whatever it sealed",
  async (how) => {
    const db = at.place.file("a.db");
    await at.sync(at.node, "a.db", at.scene.first);
    copyFileSync(db, at.place.file("copy.db"));
    const take = faults.meanwhile("the database is taken away", () => {
      if (how === "deleted") rmSync(db);
      else {
        renameSync(db, at.place.file("moved.db"));
        copyFileSync(at.place.file("copy.db"), db);
      }
    });
    await using node = await at.nodeWith([{ fault: take, at: 10 }]);
    const { code, stderr } = await at.sync(node, "a.db", at.scene.second);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/a\.db` was moved, replaced or deleted during the run/)]);
  },
);

describe("what cannot be read", () => {
  test("accounts for which alone the node says that it has pruned the version are gaps that may be filled, and the others are read", async () => {
    const alone = at.scene.addresses.slice(0, 4);
    const fault = faults.unknownError(410, "version_pruned");
    await using node = await at.nodeWith([
      { fault, match: ({ target }) => alone.some((address) => target.includes(`${address}/modules`)) },
    ]);
    const { json } = await ended(at.sync(node, "a.db", at.scene.first, ["--concurrency", "1"]), 2);
    expect(json()).toMatchObject({ status: "sealed_with_gaps", accounts: COUNT + 1 - alone.length, gaps: alone.length });
    const gaps = at.rows("a.db", "SELECT address, reason, is_final, message FROM gaps") as [string, string, number, string][];
    expect(gaps.map(([address]) => address).sort()).toEqual(alone.toSorted());
    for (const [address, ...gap] of gaps) expect(gap).toEqual(["pruned", 0, expect.stringContaining(`/${address}/modules`)]);
  });

  test("the horizon overtakes the pin in the middle of a listing: the part is not kept", async () => {
    const prune = faults.meanwhile("prune", () => at.scene.ledger.pruneTo(at.scene.first + 100n));
    const lastPages = ({ target }: { target: string }) => target.includes("start=");
    await using node = await at.nodeWith([{ fault: prune, match: lastPages, at: 3 }]);
    const { json } = await ended(at.sync(node, "a.db", at.scene.first, ["--concurrency", "1", "--page-size", "2"]), 3);
    expect(json()["status"]).toBe("sealed_with_gaps");
    const counts = at.rows("a.db", "SELECT address, count(*) FROM modules_at GROUP BY 1") as [string, number][];
    expect(counts.map(([, modules]) => modules)).toEqual(counts.map(() => 3));
    expect(at.rows("a.db", "SELECT count(*) FROM gaps WHERE reason = 'pruned'")).toEqual([[COUNT + 1 - (json()["accounts"] as number)]]);
  });

  test("a pin of which nothing was read is given up, and its version may be taken again", async () => {
    await using busy = await at.nodeWith([
      { fault: faults.unavailable("overloaded"), match: ({ target }) => target.includes("/accounts/") },
    ]);
    await at.sync(busy, "a.db", at.scene.first, ["--max-requests", "8"]);
    at.scene.ledger.pruneTo(at.scene.second - 100n);
    await ended(at.sync(at.node, "a.db", undefined), 3);
    expect(at.rows("a.db", "SELECT ledger_version FROM snapshots")).toEqual([[Number(at.scene.second)]]);
    expect(at.rows("a.db", "SELECT DISTINCT status, reason FROM gaps")).toEqual([["abandoned", "pruned"]]);
    // What the night points at names them too.
    const [[count]] = at.rows("a.db", "SELECT count(*) FROM gaps") as [[number]];
    const gaps = (...flags: string[]) => runCli(["gaps", "--db", at.place.file("a.db"), ...flags]);
    expect((await gaps()).stdout).toContain(
      `ledger version ${at.scene.first}, given up: ${count} gaps (0 to be tried again, 0 parked, ${count} final)`,
    );
    expect((await gaps("--json", "--limit", "1")).json()).toMatchObject({
      final: count,
      snapshots: [{ ledger_version: `${at.scene.first}`, final: count, given_up: true }],
      gaps: [{ reason: "pruned", state: "final" }],
    });
    at.scene.ledger.unpruneTo(0n);
    expect((await at.sync(at.node, "a.db", at.scene.first)).json()).toMatchObject({ status: "sealed", gaps: 0 });
  });

  test("of a pin that is given up and that the node still reads nothing is lost, and no gauge counts it", async () => {
    const isTargets = ({ target }: { target: string }) => /\/accounts\/0x\w{2,}/.test(target);
    await using node = await at.nodeWith([{ fault: faults.unknownError(404, "gone"), match: isTargets }]);
    const [db, metrics] = [at.place.file("a.db"), at.place.file("a.prom")];
    await runCli(["targets", "import", at.scene.targetsFile(at.place.file("list.csv")), "--db", db]);
    const night = runCli(["night", "--rpc", node.url, "--rate", "0", "--db", db, "--metrics-file", metrics]);
    const { stdout } = await ended(night, 1);
    expect(stdout).toMatch(/^night: not sealed .*404 gone/);
    expect(stdout).not.toMatch(/lost/i);
    const count = COUNT + 1;
    expect((await runCli(["gaps", "--db", db, "--json"])).json()).toMatchObject({ open: 0, parked: count, final: 0 });
    expect((await runCli(["status", "--db", db, "--json"])).json()).toMatchObject({ gaps: 0, gap_reasons: {} });
    expect(readFileSync(metrics, "utf8")).not.toContain("movedex_gaps{");
  });
});
