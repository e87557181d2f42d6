import { compare } from "../base/lists.ts";
import { type Address, compareAddresses } from "./address.ts";

/** A module's identity on the chain: the account that holds it and its name. */
export type ModuleId = { readonly address: Address; readonly name: string };

/** A module's full name, `0x1::coin`: the form in nodes' JSON, in error messages and as a key of maps. */
export function formatModuleId({ address, name }: { readonly address: string; readonly name: string }): string {
  return `${address}::${name}`;
}

/** A function or struct of a module. */
export type ItemId = { readonly module: ModuleId; readonly name: string };

/** `0x1::coin::withdraw`. */
export function formatItemId({ module, name }: ItemId): string {
  return `${formatModuleId(module)}::${name}`;
}

/** The full name of an item's module, by the full name of the item. */
export function moduleNameOf(item: string): string {
  return item.slice(0, item.lastIndexOf("::"));
}

/** The name alone of an item, by its full name. */
export function itemNameOf(item: string): string {
  return item.slice(item.lastIndexOf("::") + 2);
}

/** The module of a full name that `formatModuleId` made. */
export function moduleNamed(fullName: string): ModuleId {
  const [address = "", name = ""] = fullName.split("::");
  return { address: address as Address, name };
}

export function isSameModule(a: ModuleId, b: ModuleId): boolean {
  return a.name === b.name && a.address === b.address;
}

export function compareModuleIds(a: ModuleId, b: ModuleId): number {
  return compareAddresses(a.address, b.address) || compare(a.name, b.name);
}

/**
 * The grammar of a Move identifier as a regular expression's source; `<SELF>`, with or without `_` and digits, is the module of a
 * script. Source: aptos-core `third_party/move/move-core/types/src/identifier.rs`.
 */
export const IDENTIFIER = String.raw`(?:[a-zA-Z][\w$]*|[_$][\w$]+|<SELF>(?:_[0-9]+)?)`;

const WHOLE = new RegExp(`^${IDENTIFIER}$`);

/** Whether text can be the name of a module, struct, function or field. */
export function isIdentifier(text: string): boolean {
  return WHOLE.test(text);
}
