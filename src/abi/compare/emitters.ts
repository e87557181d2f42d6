import type { FunctionCode } from "../../move/code/read-code.ts";
import { isSameModule, itemNameOf, type ModuleId } from "../../move/module-id.ts";
import { isExposed } from "../model.ts";
import { listNames, makeFinding, type RuleFinding, WHOLE_MODULE } from "./finding.ts";
import type { ModuleFunctions } from "./functions.ts";

/**
 * Functions of the framework that the VM calls by itself, around each transaction and block, though they are private. Source: aptos-core
 * `aptos-move/aptos-vm/src/transaction_validation.rs`, `block_prologue` in `aptos_vm.rs`, `aptos-move/vm-genesis/src/lib.rs`,
 * `types/src/account_config/constants`.
 */
const CALLED: Readonly<Record<string, RegExp>> = {
  "0x1::account": /^(?:script|module|writeset|unified|multi_agent_script)_(?:prologue|epilogue)$|^(?:prologue|epilogue)/,
  "0x1::account_abstraction": /^authenticate$/,
  "0x1::block": /^block_(?:prologue|epilogue)|^emit_writeset_block_event$/,
  "0x1::genesis": /./,
  "0x1::jwks": /^upsert_into_observed_jwks$/,
  "0x1::multisig_account": /^(?:validate_multisig_transaction|(?:successful|failed)_transaction_execution_cleanup)$/,
  "0x1::reconfiguration_with_dkg": /^finish_with_dkg_result$/,
  "0x1::transaction_validation": /(?:^|_)(?:prologue|epilogue)(?:_|$)/,
};

export function isCalledByVm({ address, name }: ModuleId, fn: string): boolean {
  return CALLED[`${address}::${name}`]?.test(fn) === true;
}

/** Events that functions of a module emitted, and none of them does now. An event that is no struct any more is told as that. */
export function lastEmitters(before: ModuleFunctions, after: ModuleFunctions): RuleFinding[] {
  const [was, is] = [emittersIn(before), emittersIn(after)];
  // A function that emits whatever its caller says may emit any.
  if ([...is.keys()].some((event) => /^T\d+$/.test(event))) return [];
  return [...was].flatMap(([event, functions]) => {
    if (is.has(event) || /^T\d+$/.test(event)) return [];
    const isOwn = event.startsWith(`${after.abi.address}::${after.abi.name}::`);
    const name = itemNameOf(event);
    if (isOwn && !after.abi.structs.some((struct) => struct.name === name)) return [];
    const emitters = `emitted by ${listNames([...functions])}`;
    const witness = { before: isOwn ? emitters : `${event} ${emitters}`, after: null };
    return [makeFinding("event-not-emitted", isOwn ? { kind: "struct", name } : WHOLE_MODULE, witness)];
  });
}

/** The functions that emit events, by the events without their type arguments; what nothing can call is left out. */
function emittersIn({ abi, functions, functionMarks }: ModuleFunctions): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const roots = abi.functions.filter((fn) => isExposed(fn) || functionMarks.has(fn.name) || isCalledByVm(abi, fn.name));
  const called = new Set([...roots.map(({ name }) => name), "init_module"]);
  for (const name of called) {
    const code = functions.get(name);
    for (const { module, name: callee } of code?.definition.callees ?? []) if (isSameModule(module, abi)) called.add(callee);
    for (const event of code === undefined ? [] : eventsIn(code)) found.set(event, (found.get(event) ?? new Set()).add(name));
  }
  return found;
}

function eventsIn({ definition, instructions }: FunctionCode): string[] {
  if (!definition.callees.some(({ module }) => module.name === "event" && module.address === "0x1")) return [];
  return instructions.flatMap(({ reference }) => {
    if (reference?.kind !== "function" || reference.handle.module.name !== "event" || reference.handle.module.address !== "0x1") return [];
    const [type] = reference.typeArguments;
    return /^emit(?:_event)?$/.test(reference.handle.name) && type !== undefined ? [type.text.replace(/<.*/s, "")] : [];
  });
}
