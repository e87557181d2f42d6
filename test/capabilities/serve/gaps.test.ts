import { describe, expect } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { test } from "../../support/test.ts";
import { askDatabase, crawl, jsonOf, serveDatabase } from "./support/served-archive.ts";
import { variedLedger } from "./support/varied-ledger.ts";

describe("what the archive does not know", () => {
  test("before anything is sealed everything is 503, and nothing pretends to be a ledger", async ({ place }) => {
    await (await openStore(place.file("empty.db"), { mode: "write", now: () => 0 })).close();
    await using served = await askDatabase(place.file("empty.db"));
    for (const path of ["/v1", "/v1/-/healthy", "/v1/accounts/0x1", "/v1/accounts/0x1/modules", "/v1/accounts/0x1/module/coin"]) {
      const answer = await served.ask(path);
      expect([answer.status, jsonOf(answer)["error_code"]], path).toEqual([503, "internal_error"]);
      expect(Object.keys(answer.headers).some((name) => name.startsWith("x-aptos-"))).toBe(false);
    }
    expect((await served.ask("/v1/accounts/zz")).status).toBe(400);
    expect(jsonOf(await served.ask("/v1/snapshots"))).toEqual({ chain_id: null, snapshots: [], next_before: null });
    expect((await served.ask("/v1/spec")).status).toBe(200);
  });

  test("a gap is a gap with its reason, never an empty list, and a second archive gets a gap there too", async ({ place }) => {
    const scene = variedLedger();
    scene.next();
    const lost = scene.accounts[1] as string;
    const plan = faults.planFaults([{ fault: faults.storageFailure("stateValue"), match: ({ target }) => target.includes(lost) }]);
    await using node = await startSimNode({ ledger: scene.ledger, faults: plan });
    const db = place.file("gaps.db");
    expect(await crawl(db, node.url, scene.accounts)).toMatchObject({ status: "sealed_with_gaps", gaps: 1 });
    await using served = await askDatabase(db);
    for (const path of [`/v1/accounts/${lost}`, `/v1/accounts/${lost}/modules`, `/v1/accounts/${lost}/module/only`]) {
      const answer = await served.ask(path);
      expect([answer.status, jsonOf(answer)["error_code"]]).toEqual([404, "version_not_found"]);
      expect(jsonOf(answer)["message"]).toContain(`its snapshot has a gap at account ${lost} (`);
      expect(answer.headers["x-movedex-observed-at"]).toBeUndefined();
    }
    expect(jsonOf(await served.ask("/v1/snapshots/500"))).toMatchObject({ gaps: 1, missing: [{ address: lost }] });
    await using socket = await serveDatabase(db);
    expect(await crawl(place.file("second.db"), socket.url, scene.accounts)).toMatchObject({ status: "sealed_with_gaps", gaps: 1 });
  });

  test("an account that the node denied is denied, and one that was not read is not", async ({ place }) => {
    const scene = variedLedger();
    scene.next();
    await using node = await startSimNode({ ledger: scene.ledger, statelessAccounts: false });
    await crawl(place.file("old.db"), node.url, scene.accounts);
    await using served = await askDatabase(place.file("old.db"));
    const denied = await served.ask("/v1/accounts/0xdead");
    expect(jsonOf(denied)).toEqual({
      message: "Account not found by Address(0xdead) and Ledger version(500)",
      error_code: "account_not_found",
      vm_error_code: null,
    });
    expect(denied.headers["x-movedex-observed-at"]).toBe("500");
    expect(jsonOf(await served.ask(`/v1/accounts/${scene.stranger}`))["error_code"]).toBe("version_not_found");
  });

  test("an account that the newest snapshot did not read is answered as last read, unless that version is asked for", async ({ place }) => {
    const scene = variedLedger();
    scene.next();
    const [first, second] = scene.accounts as [string, string];
    await using node = await startSimNode({ ledger: scene.ledger });
    const db = place.file("part.db");
    await crawl(db, node.url, scene.accounts);
    scene.next();
    await crawl(db, node.url, [first]);
    await using served = await askDatabase(db);
    const newest = String(jsonOf(await served.ask("/v1"))["ledger_version"]);
    const seen = async (path: string) => {
      const { status, headers } = await served.ask(path);
      return [status, headers["x-movedex-observed-at"]];
    };
    expect(await seen(`/v1/accounts/${first}/modules`)).toEqual([200, newest]);
    expect(await seen(`/v1/accounts/${second}/modules`)).toEqual([200, "500"]);
    expect(await seen(`/v1/accounts/${second}`)).toEqual([200, "500"]);
    expect(await seen(`/v1/accounts/${second}/modules?ledger_version=${newest}`)).toEqual([404, undefined]);
  });

  test("a record that was read as JSON has no BCS", async ({ place }) => {
    const scene = variedLedger();
    scene.next();
    await using node = await startSimNode({ ledger: scene.ledger });
    await crawl(place.file("json.db"), node.url, scene.accounts.slice(1), { more: ["--encoding", "json"] });
    await using served = await askDatabase(place.file("json.db"));
    const [account] = scene.accounts.slice(1) as [string];
    const refused = await served.ask(`/v1/accounts/${account}`, { headers: { accept: "application/x-bcs" } });
    expect([refused.status, jsonOf(refused)["error_code"]]).toEqual([403, "bcs_not_supported"]);
    expect((await served.ask(`/v1/accounts/${account}`)).status).toBe(200);
    // A crawler that would rather have BCS takes JSON then.
    await using socket = await serveDatabase(place.file("json.db"));
    expect(await crawl(place.file("second.db"), socket.url, scene.accounts.slice(1))).toMatchObject({ status: "sealed", gaps: 0 });
  });
});
