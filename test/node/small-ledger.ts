import { expect } from "vitest";
import { type FaultPlan, type PlannedFault, planFaults } from "../../sim/faults/index.ts";
import { SimLedger, type SimNode, type SimNodeOptions, startSimNode, writeModule } from "../../sim/index.ts";
import { closing } from "../../src/core/base/async.ts";
import { type Address, parseAddress } from "../../src/core/move/address.ts";
import { type NodeOptions, openNode } from "../../src/core/node/open-node.ts";
import { ManualClock } from "../support/manual-clock.ts";

/** An address from text that is one. */
export function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw new TypeError(`\`${text}\` is not an address`);
  return parsed;
}

/** A ledger at version 100 with twenty modules under 0xcafe and an account 0xa11ce. */
export function smallLedger(): SimLedger {
  const ledger = new SimLedger({ chainId: 4 });
  ledger.genesis((writer) => {
    writer.account("0xa11ce", { sequenceNumber: 2n ** 63n + 1n });
    for (let index = 0; index < 20; index++) {
      const name = `m${index}`;
      writer.publish("0xcafe", name, writeModule({ address: "0xcafe", name }));
    }
  });
  ledger.advanceTo(100n);
  return ledger;
}

/** A simulated node over the small ledger and movedex's door to it, on a clock on which no wait takes time. */
export async function withNode(
  setting: {
    readonly faults?: readonly PlannedFault[] | FaultPlan;
    readonly sim?: Partial<SimNodeOptions>;
    readonly options?: Partial<NodeOptions>;
  },
  use: (parts: { node: ReturnType<typeof openNode>; sim: SimNode; clock: ManualClock }) => Promise<void>,
): Promise<void> {
  const { faults = [] } = setting;
  const plan = "pick" in faults ? faults : planFaults(faults);
  const clock = new ManualClock({ skipSleeps: true });
  await using sim = await startSimNode({ ledger: smallLedger(), faults: plan, ...setting.sim });
  await using node = closing(openNode({ url: sim.url, clock, ...setting.options }));
  await use({ node, sim, clock });
  if (!("pick" in faults)) expect(plan.unmet(), "planned faults that met no request").toEqual([]);
}
