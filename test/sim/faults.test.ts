import { describe, expect, test } from "vitest";
import { faults, SimLedger, startSimNode } from "../../sim/index.ts";
import { rawRequest } from "../support/raw-request.ts";

const { planFaults } = faults;
const _listing = "/accounts/0x1/modules?ledger_version=100";

function ledgerOfThree(): SimLedger {
  const ledger = new SimLedger({ chainId: 7 });
  ledger.genesis((writer) => {
    for (const name of ["acl", "coin", "account"]) writer.publish("0x1", name, Buffer.from(name));
  });
  ledger.advance(100n);
  return ledger;
}

// That each fault is what its name says is shown by what a client makes of it: test/node/http/requester.test.ts, test/flow/night.
describe("planFaults", () => {
  const picks = (planned: Omit<faults.PlannedFault, "fault">, requests: string[]): boolean[] => {
    const plan = planFaults([{ fault: faults.unauthorized(), ...planned }]);
    return requests.map((target, index) => plan.pick({ method: "GET", target, headers: {} }, index + 1).length > 0);
  };
  const six = ["/a", "/b", "/a", "/b", "/a", "/b"];

  test("counts matching requests only", () => {
    expect(picks({ at: 2, match: ({ target }) => target === "/b" }, six)).toEqual([false, false, false, true, false, false]);
    expect(picks({ at: [1, 3] }, six)).toEqual([true, false, true, false, false, false]);
    expect(picks({ every: 2 }, six)).toEqual([false, true, false, true, false, true]);
    expect(picks({ every: 2, times: 1 }, six)).toEqual([false, true, false, false, false, false]);
  });

  test("lists what was planned and never met", async () => {
    const plan = planFaults([
      { fault: faults.unauthorized(), at: [1, 5] },
      { fault: faults.unavailable("overloaded"), match: () => false },
    ]);
    await using node = await startSimNode({ ledger: ledgerOfThree(), faults: plan });
    expect((await rawRequest(node.url)).status).toBe(401);
    expect(node.requests[0]?.faults).toEqual(["401"]);
    expect(plan.unmet()).toEqual(["401 (at 5)", "503 overloaded"]);
  });
});

describe("mixedFaults", () => {
  test("meets about the share that was asked for, each kind, never one request too often in a row", () => {
    const plan = faults.mixedFaults({ seed: 3, share: 0.5, maxInARow: 2 });
    let met = 0;
    let inARow = 0;
    for (let index = 0; index < 5000; index++) {
      const isFaulty = plan.pick({ method: "GET", target: "/v1/accounts/0x1?ledger_version=3", headers: {} }, index).length > 0;
      inARow = isFaulty ? inARow + 1 : 0;
      if (isFaulty) met++;
      expect(inARow).toBeLessThanOrEqual(2);
    }
    expect(met / 5000).toBeGreaterThan(0.35);
    expect(plan.unmet()).toEqual([]);
  });
});
