import { type DecodedModule, decodeModule } from "../../abi/decode.ts";
import { parseNodeAbi } from "../../abi/node-json/parse.ts";
import { sha256 } from "../../base/sha256.ts";
import { MovedexError } from "../../errors.ts";
import { readBytecodeVersion, readSelfId } from "../../move/module/self-id.ts";
import type { NodeModule } from "../../node/answers/module-answer.ts";
import type { DecodeProblem } from "../../store/snapshots/visit-model.ts";
import type { ModuleContent, ObservedModule } from "../../store/store.ts";

/** Fetches the node's own ABI of a module, for bytecode that movedex cannot decode. Undefined when the node gives none. */
export type FetchNodeAbi = (moduleName: string) => Promise<unknown>;

/** Called with each new bytecode that came with an ABI of the node's (or null), and with what was decoded from its bytes. */
export type CompareAbi = (digest: Uint8Array, decoded: DecodedModule, printed: unknown) => Promise<void>;

/**
 * One module of a listing, normalized: its name, the digest of its bytes and, when the store does not hold those bytes
 * yet, the bytes with what was decoded from them.
 *
 * Bytecode that movedex cannot decode is kept all the same; its ABI is then the node's, where the node gives one.
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
  return { name, sha256: digest, content: await decodeContent(module, digest, name, fetchNodeAbi, compareAbi) };
}

async function decodeContent(
  module: NodeModule,
  digest: Uint8Array,
  name: string,
  fetchNodeAbi: FetchNodeAbi,
  compareAbi: CompareAbi,
): Promise<ModuleContent> {
  const code = module.bytecode;
  const decoded = decode(code);
  if ("abi" in decoded) {
    if (module.abi !== undefined) await compareAbi(digest, decoded, module.abi);
    return { code, bytecodeVersion: decoded.bytecodeVersion, decoded: { abi: decoded.abi, decoder: "movedex" } };
  }
  const nodeAbi = module.abi === undefined ? await fetchNodeAbi(name) : module.abi;
  return { code, bytecodeVersion: readBytecodeVersion(code) ?? null, decoded: decodeNodeAbi(nodeAbi) ?? decoded };
}

function decode(code: Uint8Array): DecodedModule | { readonly error: DecodeProblem } {
  try {
    return decodeModule(code);
  } catch (error) {
    if (!(error instanceof MovedexError)) throw error;
    return { error: { code: error.code, offset: Number(error.facts["offset"] ?? 0), message: error.message } };
  }
}

function decodeNodeAbi(json: unknown): { abi: ReturnType<typeof parseNodeAbi>; decoder: string } | undefined {
  if (json === null || json === undefined) return undefined;
  try {
    return { abi: parseNodeAbi(json), decoder: "node" };
  } catch (error) {
    if (error instanceof MovedexError) return undefined;
    throw error;
  }
}
