import { existsSync } from "node:fs";
import { decodeModule } from "../../src/core/abi/decode.ts";
import type { ModuleAbi } from "../../src/core/abi/model.ts";
import { sha256 } from "../../src/core/base/sha256.ts";
import { derivationQueries } from "../../src/core/db/archive/content/derive.ts";
import type { ModuleContent } from "../../src/core/db/archive/content/observed-module.ts";
import { gapQueries } from "../../src/core/db/archive/snapshots/gaps.ts";
import { sealQueries } from "../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../src/core/db/archive/snapshots/visits.ts";
import type { Address } from "../../src/core/move/address.ts";
import { DecodeError } from "../../src/core/move/decode-error.ts";
import { readBytecodeVersion, readSelfId } from "../../src/core/move/module/self-id.ts";
import { openStore } from "../../src/core/work/store.ts";
import { noAnswer, pinAt, writeNewArchive } from "./store/temporary-store.ts";

/** A snapshot to seal: at a version, each account's modules, or why it gave no answer. */
export type SnapshotOfModules = { readonly version: bigint; readonly accounts: Readonly<Record<string, readonly Uint8Array[] | string>> };

/**
 * Writes a database of chain 4, or another, with these snapshots, as a night would. Bytes that cannot be decoded are kept with the
 * failure, or with the ABI that `told` gives for them, as if a node had.
 */
export async function sealModules(
  path: string,
  snapshots: readonly SnapshotOfModules[],
  told: (bytes: Uint8Array) => ModuleAbi | undefined = () => undefined,
  chainId = 4,
): Promise<void> {
  if (!path.includes("://") && !existsSync(path)) await writeNewArchive(path);
  await using store = await openStore(path, { mode: "write", now: () => 0 });
  for (const { version, accounts } of snapshots) {
    const addresses = Object.keys(accounts) as Address[];
    await snapshotQueries(store.engine).createSnapshot({ ...pinAt(version), chainId, now: 0 }, addresses);
    for (const address of addresses) {
      const answer = accounts[address] ?? [];
      if (typeof answer === "string") {
        await gapQueries(store.engine).commitGap(version, { ...noAnswer, address, reason: answer, message: answer, isFinal: true }, 0);
      } else {
        const modules = answer.map((bytes) => ({
          name: readSelfId(bytes)?.name ?? "nameless",
          sha256: sha256(bytes),
          content: contentOf(bytes, told),
        }));
        const account = { sequenceNumber: 0n, authenticationKey: new Uint8Array(32), resource: null };
        await visitQueries(store.engine).commitVisits(version, [{ address, account, modules }]);
      }
    }
    await sealQueries(store.engine).seal(version, { now: 0 });
  }
  await derivationQueries(store.engine).derive();
}

function contentOf(code: Uint8Array, told: (bytes: Uint8Array) => ModuleAbi | undefined): ModuleContent {
  const content = { code, bytecodeVersion: readBytecodeVersion(code) ?? null };
  try {
    decodeModule(code);
    return content;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const nodeAbi = told(code);
    return nodeAbi === undefined ? content : { ...content, nodeAbi };
  }
}
