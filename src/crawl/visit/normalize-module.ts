import { type DecodedModule, decodeModule } from "../../abi/decode.ts";
import { parseNodeAbi } from "../../abi/node-json/parse.ts";
import { sha256 } from "../../base/sha256.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { readBytecodeVersion, readSelfId } from "../../move/module/self-id.ts";
import type { NodeModule } from "../../node/answers/module-answer.ts";
import type { ObservedModule } from "../../work/store.ts";

/** Called with each new bytecode that came with an ABI of the node's (or null), and with what was decoded from its bytes. */
export type CompareAbi = (digest: Uint8Array, decoded: DecodedModule, printed: unknown) => Promise<void>;

/**
 * One module of a listing: its name, digest and, when they are new, its bytes. A node's ABI is compared, or kept for bytes that
 * cannot be decoded. @returns undefined when neither the JSON nor the bytes tell a name
 */
export async function normalizeModule(
  module: NodeModule,
  isKnown: (sha256: Uint8Array) => Promise<boolean>,
  compareAbi: CompareAbi = async () => {},
): Promise<ObservedModule | undefined> {
  const name = module.name ?? readSelfId(module.bytecode)?.id.name;
  if (name === undefined) return undefined;
  const digest = sha256(module.bytecode);
  if (await isKnown(digest)) return { name, sha256: digest };
  const code = module.bytecode;
  const content = { code, bytecodeVersion: readBytecodeVersion(code) ?? null };
  if (module.abi === undefined) return { name, sha256: digest, content };
  const decoded = ifDecodable(() => decodeModule(code));
  if (decoded !== undefined) await compareAbi(digest, decoded, module.abi);
  const nodeAbi = decoded === undefined && module.abi !== null ? ifDecodable(() => parseNodeAbi(module.abi)) : undefined;
  return { name, sha256: digest, content: nodeAbi === undefined ? content : { ...content, nodeAbi } };
}
