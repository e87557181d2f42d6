import { type DecodedModule, decodeModule } from "../../abi/decode.ts";
import type { ModuleAbi } from "../../abi/model.ts";
import { parseNodeAbi } from "../../abi/node-json/parse.ts";
import { sha256 } from "../../base/sha256.ts";
import { MovedexError } from "../../errors.ts";
import { isKnownVersion, readBytecodeVersion, readSelfId } from "../../move/module/self-id.ts";
import type { NodeModule } from "../../node/answers/module-answer.ts";
import type { ObservedModule } from "../../work/store.ts";

/** Fetches the node's own ABI of a module, for bytecode that movedex cannot decode. Undefined when the node gives none. */
export type FetchNodeAbi = (moduleName: string) => Promise<unknown>;

/** Called with each new bytecode that came with an ABI of the node's (or null), and with what was decoded from its bytes. */
export type CompareAbi = (digest: Uint8Array, decoded: DecodedModule, printed: unknown) => Promise<void>;

/**
 * One module of a listing, normalized: its name, the digest of its bytes and, when the store does not hold those bytes
 * yet, the bytes. They are decoded later, except where the node has to be asked for its own ABI because movedex cannot
 * read their version, and where its ABI came along and is to be compared.
 *
 * @returns undefined when the module has no name: the node answered in JSON with a null ABI, and the bytes do not tell
 */
export async function normalizeModule(
  module: NodeModule,
  isKnown: (sha256: Uint8Array) => Promise<boolean>,
  fetchNodeAbi: FetchNodeAbi,
  compareAbi: CompareAbi = async () => {},
): Promise<ObservedModule | undefined> {
  const name = module.name ?? readSelfId(module.bytecode)?.id.name;
  if (name === undefined) return undefined;
  const digest = sha256(module.bytecode);
  if (await isKnown(digest)) return { name, sha256: digest };
  const code = module.bytecode;
  const decoded = module.abi === undefined && isKnownVersion(code) ? "later" : decode(code);
  if (decoded !== "later" && decoded !== undefined && module.abi !== undefined) await compareAbi(digest, decoded, module.abi);
  const nodeAbi = decoded === undefined ? readNodeAbi(module.abi === undefined ? await fetchNodeAbi(name) : module.abi) : undefined;
  const content = { code, bytecodeVersion: readBytecodeVersion(code) ?? null, ...(nodeAbi === undefined ? {} : { nodeAbi }) };
  return { name, sha256: digest, content };
}

function decode(code: Uint8Array): DecodedModule | undefined {
  try {
    return decodeModule(code);
  } catch (error) {
    if (error instanceof MovedexError) return undefined;
    throw error;
  }
}

function readNodeAbi(json: unknown): ModuleAbi | undefined {
  if (json === null || json === undefined) return undefined;
  try {
    return parseNodeAbi(json);
  } catch (error) {
    if (error instanceof MovedexError) return undefined;
    throw error;
  }
}
