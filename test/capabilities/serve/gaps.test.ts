import { describe, expect } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { test } from "../../support/test.ts";
import { askDatabase, crawl, jsonOf, serveDatabase } from "./support/served-archive.ts";
import { variedLedger } from "./support/varied-ledger.ts";

describe("what the archive does not know", () => {
  test("before anything is sealed the description of the API is there", async ({ place }) => {
    await (await openStore(place.file("empty.db"), { mode: "write", now: () => 0 })).close();
    await using served = await askDatabase(place.file("empty.db"));
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
