import { sourceQueries } from "../../archive/nodes/sources.ts";
import { printable } from "../../base/printable.ts";
import { MODULE_SIZE_MAX } from "../../move/module/cursor.ts";
import { readSelfId } from "../../move/module/self-id.ts";
import { formatModuleId, isSameModule, type ModuleId } from "../../move/module-id.ts";
import type { RunWork } from "../run/run-work.ts";

/** A module that cannot be what the node called it. Nothing else of its account is in doubt. */
export type Doubt = {
  /** `module_name`: its bytes name another module or account. `module_size`: it is larger than what any chain stores. */
  readonly kind: "module_name" | "module_size";
  readonly module: ModuleId;
  readonly expected: string;
  readonly found: string;
};

/** What speaks against a module's bytes; undefined for nothing. Bytes that give themselves no name may have any. */
export function doubtOf(module: ModuleId, bytecode: Uint8Array): Doubt | undefined {
  if (bytecode.length > MODULE_SIZE_MAX) {
    return { kind: "module_size", module, expected: `at most ${MODULE_SIZE_MAX} bytes`, found: `${bytecode.length} bytes` };
  }
  const self = readSelfId(bytecode)?.id;
  if (self === undefined || isSameModule(self, module)) return undefined;
  return { kind: "module_name", module, expected: formatModuleId(module), found: formatModuleId(self) };
}

/** Records modules that cannot be what the node called them, also where another attempt or node gives the right bytes. */
export async function recordDoubts({ engine, node, clock, log }: RunWork, doubts: readonly Doubt[], version: bigint): Promise<void> {
  for (const { kind, module, expected, found } of doubts) {
    const subject = formatModuleId(module);
    const why = kind === "module_name" ? `the bytes of ${printable(found, 200)}` : `${found} (a chain stores ${expected})`;
    log("warn", `${node.url} gave ${why} as ${printable(subject, 200)}`, { ledger_version: version });
    const finding = { kind, subject, fromVersion: version, toVersion: version, stored: expected, found, origin: node.url };
    await sourceQueries(engine).addFinding(finding, clock.now());
  }
}
