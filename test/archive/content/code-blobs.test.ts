import { randomBytes } from "node:crypto";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { packCode } from "../../../src/archive/content/code-blobs.ts";
import { sha256 } from "../../../src/base/sha256.ts";
import type { Store } from "../../../src/work/store.ts";
import { rowsOf } from "../../support/store/ask-file.ts";
import { addressOf, NOON, storedCode, temporaryStore } from "../../support/store/temporary-store.ts";

const one = addressOf(1);
const body = randomBytes(5000);
const versions = [0, 1, 2].map((release) => Buffer.concat([body, Buffer.from(`release ${release}`)]));
const unlike = randomBytes(5000);

async function seal(store: Store, ledgerVersion: bigint, code: Uint8Array): Promise<void> {
  await store.createPin({ chainId: 4, ledgerVersion, headVersion: ledgerVersion, oldestVersion: 0n, headTimestampUsec: 0n, now: NOON }, [
    one,
  ]);
  const modules = [{ name: "coin", sha256: sha256(code), content: { code, bytecodeVersion: null } }];
  await store.commitVisit(ledgerVersion, { address: one, account: null, modules });
  await store.seal(ledgerVersion, { now: NOON });
}

describe("packCode", () => {
  test("is small where an older version is much the same, and alone where it is not", () => {
    const base = { sha256: sha256(versions[0] as Buffer), code: versions[0] as Buffer };
    expect(packCode(versions[1] as Buffer, base).length).toBeLessThan(200);
    expect(packCode(unlike, base)).toEqual(packCode(unlike, undefined));
    // Half of it is the older version's: it is the better base for what comes, and stands alone.
    const half = Buffer.concat([body.subarray(0, 2500), randomBytes(2500)]);
    expect(packCode(half, base)).toEqual(packCode(half, undefined));
    const most = Buffer.concat([body.subarray(0, 4000), randomBytes(1000)]);
    expect(packCode(most, base).length).toBeLessThan(1200);
    expect(packCode(Buffer.alloc(0), base)).toEqual(packCode(Buffer.alloc(0), undefined));
  });
});

describe("unpackCode", () => {
  test("gives back every version's bytes, unpacking two frames at most", async () => {
    await using at = await temporaryStore();
    const all = [...versions, unlike, Buffer.alloc(0)];
    for (const [index, code] of all.entries()) await seal(at.store, BigInt(index), code);
    for (const code of all) expect(Buffer.from(storedCode(at.path, sha256(code)) as Uint8Array).equals(code)).toBe(true);
    const blobs = rowsOf(
      at.path,
      "SELECT substr(code, 1, 1) = x'01' AS packed, hex(substr(code, 2, 32)) = (SELECT hex(sha256) FROM _bytecodes WHERE id = 1) AS first FROM _bytecode_blobs ORDER BY id",
    );
    expect(blobs.slice(0, 4)).toMatchObject([{ packed: 0 }, { packed: 1, first: 1 }, { packed: 1, first: 1 }, { packed: 0 }]);
  });

  test("says that the database is damaged when it is", async () => {
    await using at = await temporaryStore();
    for (const [index, code] of versions.entries()) await seal(at.store, BigInt(index), code);
    await at.store.close();
    const raw = new Database(at.path);
    raw.exec("UPDATE _bytecode_blobs SET code = x'00' WHERE id = 1");
    raw.close();
    for (const code of versions)
      expect(() => storedCode(at.path, sha256(code))).toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_DAMAGED", exit: "corrupt" }));
  });
});
