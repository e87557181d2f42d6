import type { Log } from "../../base/log.ts";
import { printable } from "../../base/printable.ts";
import type { Clock } from "../../base/time/clock.ts";
import { formatModuleId } from "../../move/module-id.ts";
import type { LedgerNode } from "../../node/ledger-node.ts";
import type { Store } from "../../work/store.ts";
import type { Doubt } from "../visit/doubts.ts";

/** Records modules that cannot be what the node called them, also where another attempt or node gives the right bytes. */
export async function recordDoubts(
  { store, node, clock, log }: { readonly store: Store; readonly node: LedgerNode; readonly clock: Clock; readonly log: Log },
  doubts: readonly Doubt[],
  version: bigint,
): Promise<void> {
  for (const { kind, module, expected, found } of doubts) {
    const subject = formatModuleId(module);
    const why = kind === "module_name" ? `the bytes of ${printable(found, 200)}` : `${found} (a chain stores ${expected})`;
    log("warn", `${node.url} gave ${why} as ${printable(subject, 200)}`, { ledger_version: version });
    await store.addFinding(
      { kind, subject, fromVersion: version, toVersion: version, stored: expected, found, origin: node.url },
      clock.now(),
    );
  }
}
