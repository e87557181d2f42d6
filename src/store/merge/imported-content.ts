import type { Database } from "better-sqlite3";
import { formatNodeAbi } from "../../abi/node-json/format.ts";
import { sha256, sha256Hex } from "../../base/sha256.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import type { ContentStore } from "../content/content.ts";
import { StoreError } from "../errors.ts";
import type { ModuleContent } from "../snapshots/visit-model.ts";
import type { ReportFinding } from "./merging.ts";
import type { StagedArchive } from "./staged-archive.ts";
import { stagedTable } from "./staging.ts";

/** Bytecode on its way in. Rows follow from the bytes later; only for bytes that movedex cannot decode is the ABI of a node taken over. */
export type ImportedContent = {
  /** The row of bytecode, written when it is new. @throws StoreError `MOVEDEX_STORE_ARCHIVE` when the archive does not hold the bytes */
  readonly idOf: (address: bigint, name: string, digest: string, older: string | undefined) => bigint;
  /** All that was staged and not yet written. */
  readonly addRest: () => void;
  /** One content; returns whether it was new. */
  readonly add: (content: ModuleContent) => boolean;
  readonly newBytecodes: () => number;
};

type Staged = {
  readonly staged: StagedArchive;
  readonly derive: (code: Uint8Array, nodeAbi: string | null) => ModuleContent;
  readonly report: ReportFinding;
};

/** Prepares the bringing in of bytecode. Without `from`, only `add` makes sense. */
export function prepareImportedContent(
  database: Database,
  statements: HotStatements,
  content: ContentStore,
  from?: Staged,
): ImportedContent {
  const storedAbi = database.prepare<[bigint], string | null>("SELECT node_abi FROM bytecodes WHERE id = ?").pluck();
  const tell = database.prepare<[string, bigint]>(
    "UPDATE bytecodes SET node_abi = ?, derived_by = NULL, error_code = NULL, error_offset = NULL, error_message = NULL WHERE id = ?",
  );
  let added = 0;

  const write = (address: bigint, name: string, module: ModuleContent, older: string | undefined): bigint => {
    const packedWith = older === undefined ? undefined : Buffer.from(older, "hex");
    const { id, isNew } = content.intern(address, { name, sha256: sha256(module.code), content: module }, packedWith);
    if (isNew) added += 1;
    return id;
  };

  /** A node's ABI for bytes that are stored already: taken where there is none, a finding where there is another. */
  const compareNodeAbi = (id: bigint, digest: string, nodeAbi: string, { derive, report }: Staged, code: Uint8Array): void => {
    const accepted = derive(code, nodeAbi).nodeAbi;
    if (accepted === undefined) return;
    const text = JSON.stringify(formatNodeAbi(accepted));
    const before = storedAbi.get(id) ?? null;
    if (before === null) {
      tell.run(text, id);
      return;
    }
    const [stored, found] = [sha256Hex(before), sha256Hex(text)];
    if (stored !== found) report({ kind: "node_abi", subject: digest, fromVersion: 0n, toVersion: 0n, stored, found });
  };

  const idOf = (address: bigint, name: string, digest: string, older: string | undefined): bigint => {
    const known = statements.bytecodeId.get(Buffer.from(digest, "hex"));
    if (known !== undefined) return known;
    const found = from?.staged.bytecode(digest);
    if (from === undefined || found === undefined) throw missingBytecode(name, digest);
    return write(address, name, from.derive(found.code, found.nodeAbi), older);
  };

  const addRest = (): void => {
    if (from === undefined) return;
    const digests = database
      .prepare<[], string>(`SELECT DISTINCT sha256 FROM ${stagedTable("archive_bytecodes")} ORDER BY sha256`)
      .pluck()
      .all();
    for (const digest of digests) {
      const isKnown = statements.bytecodeId.get(Buffer.from(digest, "hex")) !== undefined;
      const id = idOf(0n, "", digest, undefined);
      const found = from.staged.bytecode(digest);
      if (isKnown && found !== undefined && found.nodeAbi !== null) compareNodeAbi(id, digest, found.nodeAbi, from, found.code);
    }
  };

  return {
    idOf,
    addRest,
    add: (module) => {
      const before = added;
      write(0n, "", module, undefined);
      return added > before;
    },
    newBytecodes: () => added,
  };
}

function missingBytecode(name: string, digest: string): StoreError {
  return new StoreError(
    "MOVEDEX_STORE_ARCHIVE",
    `the archive names bytecode ${digest} (module \`${name}\`) and does not hold it; it is not stored here either. Nothing was imported.`,
    { facts: { name, sha256: digest } },
  );
}
