import { seededRandom } from "../../src/core/base/numbers.ts";
import { type Address, parseAddress } from "../../src/core/move/address.ts";
import { type FunctionSpec, type StructSpec, writeModule } from "../module-writer/module-writer.ts";
import { ModuleCode } from "./module-code.ts";

const nouns = ["vault", "ledger", "orchard", "harbor", "lantern", "quarry", "meadow", "anvil", "beacon", "garden", "market", "bridge"];
const verbs = ["open", "close", "claim", "stake", "lend", "repay", "settle", "list", "cancel", "renew", "split", "merge"];
const types = [
  "u64",
  "u128",
  "bool",
  "address",
  "vector<u8>",
  "&signer",
  "0x1::string::String",
  "0x1::option::Option<u64>",
  "vector<address>",
];
const NOP = Uint8Array.of(0x28);
const RETURN = Uint8Array.of(0x02);

/** A module of a made-up package, and the account that its bytes name as their own. */
type GeneratedModule = { readonly name: string; readonly account: Address; readonly code: ModuleCode };

/** Packages that were made, so that ledgers that begin alike share them. */
const made = new Map<string, GeneratedModule[]>();

/**
 * The modules of a made-up package, the same for the same seed, each of some 5 kB with 16 functions and 4 structs. They decode;
 * no verifier would accept their code.
 */
export function generatedPackage(modules: number, seed: number, names: readonly string[] = []): readonly GeneratedModule[] {
  const key = `${modules} ${seed} ${names.join(" ")}`;
  if (made.size > 1000) made.clear();
  const known = made.get(key) ?? makePackage(modules, seed, names);
  made.set(key, known);
  return known;
}

function makePackage(modules: number, seed: number, names: readonly string[]): GeneratedModule[] {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = (list: readonly string[]): string => list[below(list.length)] ?? "";
  const address = `0x${Array.from({ length: 63 }, () => below(16).toString(16)).join("")}1`;
  const account = parseAddress(address) as Address;
  return Array.from({ length: modules }, (_, index) => {
    const ownName = `${pick(nouns)}_${pick(nouns)}${index}`;
    const name = names[index] ?? ownName;
    const structs = Array.from(
      { length: 4 },
      (_, number): StructSpec => ({
        name: `${pick(nouns)[0]?.toUpperCase()}${pick(nouns)}${number}`,
        abilities: number === 0 ? ["key"] : ["copy", "drop", "store"],
        fields: Array.from({ length: 1 + below(6) }, (_, field) => [`${pick(nouns)}_${field}`, types[below(5)] ?? "u64"] as const),
      }),
    );
    const functions = Array.from({ length: 16 }, (_, number): FunctionSpec => {
      const isEntry = below(3) === 0;
      return {
        name: `${pick(verbs)}_${pick(nouns)}_${number}`,
        visibility: (["public", "public", "private", "friend"] as const)[below(4)] ?? "public",
        entry: isEntry,
        params: Array.from({ length: below(5) }, () => pick(types)),
        returns: isEntry ? [] : Array.from({ length: below(3) }, () => types[below(5)] ?? "u64"),
        ...(!isEntry && below(3) === 0 ? { attributes: [{ kind: 1 }] } : {}),
        code: [...Array.from({ length: 100 + below(200) }, () => NOP), RETURN],
      };
    });
    const errors = Array.from({ length: 6 }, (_, number) => ({
      code: number + 1,
      name: `E${pick(verbs).toUpperCase()}_${number}`,
      description: `The ${pick(nouns)} cannot ${pick(verbs)} while the ${pick(nouns)} is in use`,
    }));
    return { name, account, code: new ModuleCode(writeModule({ address, name, structs, functions, errors, version: 7 })) };
  });
}
