import { type FaultPlan, type PlannedFault, planFaults } from "../../sim/faults/index.ts";
import { SimLedger, type SimNode, type SimNodeOptions, startSimNode } from "../../sim/index.ts";
import { writeModule } from "../../sim/module-writer/module-writer.ts";
import { type Address, parseAddress } from "../../src/move/address.ts";
import { type NodeOptions, openNode } from "../../src/node/open-node.ts";
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
  const node = openNode({ url: sim.url, clock, ...setting.options });
  try {
    await use({ node, sim, clock });
    if (!("pick" in faults)) expectNone(plan.unmet());
  } finally {
    await node.close();
  }
}

function expectNone(unmet: readonly string[]): void {
  if (unmet.length > 0) throw new Error(`these planned faults met no request: ${unmet.join(", ")}`);
}

/** All that an async iterable yields. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
