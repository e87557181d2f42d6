import { deserializationStatuses } from "./deserialization.ts";
import { executionStatuses } from "./execution.ts";
import { invariantStatuses } from "./invariant.ts";
import { validationStatuses } from "./validation.ts";
import { verificationStatuses } from "./verification.ts";

/** When the VM gives a status, and what becomes of the transaction then. */
export type StatusKind = { readonly name: string; readonly consequence: string };

/** A status of the Move VM: the reason why a transaction or a publication failed that is no abort of a module. */
export type VmStatus = { readonly code: number; readonly name: string; readonly meaning: string; readonly kind: StatusKind };

/**
 * The kinds of statuses with their codes; the kind follows from the code alone, and decides whether the transaction is kept.
 * Source: `StatusCode::status_type` and `VMStatus::keep_or_discard` in aptos-core
 * `third_party/move/move-core/types/src/vm_status.rs`, read as of 2026; `StatusCode` there has the names and codes of all rows.
 */
const KINDS: readonly (StatusKind & { readonly rows: readonly (readonly [code: number, name: string, meaning: string])[] })[] = [
  { name: "validation", consequence: "the transaction is not executed and costs nothing", rows: validationStatuses },
  {
    name: "verification",
    consequence: "the bytecode is refused; a transaction that publishes it pays for gas",
    rows: verificationStatuses,
  },
  { name: "invariant violation", consequence: "a fault of the VM itself; the transaction is discarded", rows: invariantStatuses },
  { name: "deserialization", consequence: "bytes could not be read; the transaction pays for gas", rows: deserializationStatuses },
  { name: "execution", consequence: "the transaction had no effect, and pays for gas", rows: executionStatuses },
];

/** Every status, in the order of the codes. */
export const vmStatuses: readonly VmStatus[] = KINDS.flatMap(({ rows, ...kind }) =>
  rows.map(([code, name, meaning]) => ({ code, name, meaning, kind })),
);

const byCode = new Map(vmStatuses.map((status) => [status.code, status]));
const byName = new Map([
  ...vmStatuses.map((status) => [status.name, status] as const),
  // Its name until 2024.
  ["DELAYED_MATERIALIZATION_CODE_INVARIANT_ERROR", byCode.get(2023) as VmStatus] as const,
]);

/** The status with this name or code; undefined if there is none. */
export function findVmStatus(wanted: string | number): VmStatus | undefined {
  return typeof wanted === "number" ? byCode.get(wanted) : byName.get(wanted);
}

/** Characters of a message that are searched: a report of a failure names its status at the beginning. */
const LENGTH_MAX = 20_000;

/**
 * Sentences that say a status without its name. Sources in aptos-core: `explain_vm_status` in `api/types/src/convert.rs`,
 * `ExpectedMoveErrorDisplay` in `third_party/move/move-compiler-v2/legacy-move-compiler/src/unit_test/mod.rs`.
 */
const SENTENCES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bout of gas\b/i, "OUT_OF_GAS"],
  [/\bgave an arithmetic error\b/i, "ARITHMETIC_ERROR"],
  [/\bgave a vector operation error\b/i, "VECTOR_OPERATION_ERROR"],
];

/** The status that a message from a node, a tool or an SDK names; undefined if it names none. `ABORTED` alone is not one: it needs a code. */
export function findVmStatusIn(text: string): VmStatus | undefined {
  const cut = text.slice(0, LENGTH_MAX);
  for (const [word] of cut.matchAll(/\b[A-Z][A-Z0-9_]{5,}\b/g)) {
    const status = byName.get(word);
    if (status !== undefined && word !== "ABORTED") return status;
  }
  const said = SENTENCES.find(([pattern]) => pattern.test(cut));
  return said === undefined ? undefined : byName.get(said[1]);
}
