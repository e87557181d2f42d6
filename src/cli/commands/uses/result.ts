import { address, text, truth, version, whole } from "../../../base/result/kinds.ts";
import { either, from, list, maybe, object } from "../../../base/result/object.ts";
import { formatItemId, formatModuleId, type ModuleId } from "../../../move/module-id.ts";
import type { Call, CallGraph } from "../../../questions/uses/callers.ts";
import type { DirectUse } from "../../../questions/uses/direct-uses.ts";

type FoundCall = Call & { readonly use: DirectUse | undefined };
export type FoundUses = Omit<CallGraph, "calls"> & { readonly calls: readonly FoundCall[] };
const unreadable = from(({ unreadable }: { readonly unreadable: readonly ModuleId[] }) => unreadable.map(formatModuleId), list(text));

/** Who calls functions. */
export const callsResult = object({
  ledger_version: version,
  functions: list(
    object({ address: from("module.address", address), module: from("module.name", text), function: from("name", text), depth: whole }),
  ),
  calls: list(
    object({
      caller: from(({ caller }: FoundCall) => formatItemId(caller), text),
      callee: from(({ callee }: FoundCall) => formatItemId(callee), text),
      is_call: from("use.isCall", maybe(truth)),
      is_function_value: from("use.isValue", maybe(truth)),
      instantiations: from("use.instantiations", maybe(list(text))),
    }),
  ),
  unreadable,
  is_cut: truth,
});

/** Who uses a struct. */
export const structResult = object({
  ledger_version: version,
  struct: text,
  functions: list(object({ function: from("name", text), how: list(text) })),
  modules: from(({ modules }: { readonly modules: readonly ModuleId[] }) => modules.map(formatModuleId), list(text)),
  unreadable,
});

/** What `uses --json` prints. */
export const usesResult = either<unknown>([callsResult, structResult]);
