import type { FactKind } from "./fact.ts";

/** What a call of another module's function is, apart from what stands in that function. */
export type ForeignCall = {
  readonly fact?: readonly [kind: FactKind, name: string, types: readonly string[]];
  /** What it counts as among literals and operators. */
  readonly counts: readonly string[];
  /** Its arguments say why, or of which feature: they are nothing that is computed with. */
  readonly takesCodes: boolean;
};

/** Functions of the standard library that compilers put into their callers: the function and the operator that are left of each. */
const INLINED: Readonly<Record<string, readonly [name: string, ...operators: string[]]>> = {
  "0x1::signer::address_of": ["0x1::signer::borrow_address"],
  "0x1::timestamp::now_seconds": ["0x1::timestamp::now_microseconds", "Div 1000000"],
};

/** What functions of `0x1::features` that ask for one feature become; which feature cannot be told then. */
const IS_ENABLED = "0x1::features::is_enabled";

/** Modules of the standard library that only compute: what is called of them counts like operators. */
const COMPUTING = /^0x1::(?:bcs|cmp|fixed_point\d+|math\w*|mem|option|signer|string|vector)::/;

export function foreignCall(written: string, types: readonly string[]): ForeignCall {
  if (written.startsWith("0x1::error::")) return { counts: [], takesCodes: true };
  if (/^0x1::features::\w+_enabled$/.test(written))
    return { fact: ["calls", IS_ENABLED, []], counts: [`${IS_ENABLED}()`], takesCodes: true };
  if (written === "0x1::event::emit" || written === "0x1::event::emit_event")
    return { fact: ["emits", types.join(", "), []], counts: [`${written}()`], takesCodes: false };
  const [name, ...operators] = INLINED[written] ?? [written];
  const counts = [`${name}()`, ...operators];
  if (COMPUTING.test(name)) return { counts, takesCodes: false };
  // What checks the caller's address says so by its name.
  return { fact: [name.startsWith("0x1::system_addresses::assert_") ? "checks" : "calls", name, types], counts, takesCodes: false };
}
