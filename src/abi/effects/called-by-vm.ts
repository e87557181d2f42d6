import type { ModuleId } from "../../move/module-id.ts";

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
