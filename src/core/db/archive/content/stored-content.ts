import { type DecodedModule, decodeModule } from "../../../abi/decode.ts";
import type { ModuleAbi } from "../../../abi/model.ts";
import { parseNodeAbi } from "../../../abi/node-json/parse.ts";
import { present } from "../../../errors.ts";
import { DecodeError } from "../../../move/decode-error.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { jsonEach } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { readCodes } from "./code-blobs.ts";

/** A stored module: decoded from its bytes, else what a node reported of them, which leaves things out, else unreadable. */
export type StoredContent = { readonly bytes: Uint8Array; readonly bytecodeVersion: number | null } & (
  | { readonly kind: "decoded"; readonly module: DecodedModule }
  | { readonly kind: "reported"; readonly abi: ModuleAbi }
  | { readonly kind: "unreadable"; readonly reason: string }
);

type About = readonly [nodeAbi: string | null, bytecodeVersion: number | null];

const about = sql<[id: Integer, ...About]>`SELECT b.id, b.node_abi, b.bytecode_version FROM ${jsonEach(":ids::json", "j")}
  JOIN _bytecodes b ON b.id = CAST(j.value AS bigint)`;

/** Reads modules by the numbers of their bytecodes. What it returns decodes one of them; rows of ABIs are not needed. */
export async function readContents(session: Session, ids: readonly Integer[]): Promise<(id: Integer) => StoredContent> {
  const codeOf = await readCodes(session, ids);
  const rows = await session.all(about, { ids: JSON.stringify(ids.map(Number)) });
  const known = new Map(rows.map(([id, ...cells]): [number, About] => [Number(id), cells]));
  return (id) => {
    const missing = `there is no bytecode ${id}`;
    const [nodeAbi, bytecodeVersion] = present(known.get(Number(id)), missing);
    return contentOf(present(codeOf(id), missing).code, bytecodeVersion, nodeAbi);
  };
}

/** What bytes of a module hold, whether they are stored or a file. */
export function contentOf(bytes: Uint8Array, bytecodeVersion: number | null, nodeAbi: string | null): StoredContent {
  try {
    return { bytes, bytecodeVersion, kind: "decoded", module: decodeModule(bytes) };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    if (nodeAbi !== null) return { bytes, bytecodeVersion, kind: "reported", abi: parseNodeAbi(JSON.parse(nodeAbi)) };
    return { bytes, bytecodeVersion, kind: "unreadable", reason: error.message };
  }
}

/** The interface that stored bytes have, as far as it is known; undefined where they cannot be read. */
export function abiOf(content: StoredContent): ModuleAbi | undefined {
  return content.kind === "decoded" ? content.module.abi : content.kind === "reported" ? content.abi : undefined;
}
