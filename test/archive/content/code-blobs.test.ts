import { randomBytes } from "node:crypto";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { packCode, type Version } from "../../../src/archive/content/code-blobs.ts";
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

/** A version as `packCode` leaves it. */
function versionOf(code: Uint8Array, older?: Version): Version {
  const packed = packCode(code, older);
  return { sha256: sha256(code), code, packedBytes: packed.code.length, base: packed.base };
}

function basesOf({ base }: Version): number {
  return base === undefined ? 0 : 1 + basesOf(base);
}

describe("packCode", () => {
  const first = versionOf(versions[0] as Buffer);

  test("is small where an older version is much the same, and alone where it is not", () => {
    expect(versionOf(versions[1] as Buffer, first)).toMatchObject({ base: first });
    expect(versionOf(versions[1] as Buffer, first).packedBytes).toBeLessThan(200);
    expect(packCode(unlike, first)).toEqual(packCode(unlike, undefined));
    const less = Buffer.concat([body.subarray(0, 1500), randomBytes(3500)]);
    expect(packCode(less, first)).toEqual(packCode(less, undefined));
    expect(packCode(Buffer.alloc(0), first)).toEqual(packCode(Buffer.alloc(0), undefined));
  });

  test("packs with the older version where that changed much, else with what that is packed with", () => {
    const same = versionOf(versions[1] as Buffer, first);
    expect(packCode(versions[2] as Buffer, same).base).toBe(first);
    const changed = versionOf(Buffer.concat([body.subarray(0, 4000), randomBytes(1000)]), first);
    expect(packCode(Buffer.concat([changed.code, Buffer.from("more")]), changed).base).toBe(changed);
  });

  test("has at most twelve bases, each packed with the next", () => {
    let newest = first;
    for (let release = 1; release <= 15; release++) {
      const code = Buffer.from(newest.code);
      randomBytes(500).copy(code, (release * 500) % 4500);
      newest = versionOf(code, newest);
      expect(basesOf(newest)).toBe(Math.min(release, 12));
    }
  });
});

describe("unpackVersion", () => {
  test("gives back every version's bytes, and names what each is packed with", async () => {
    await using at = await temporaryStore();
    const all = [...versions, unlike, Buffer.alloc(0)];
    for (const [index, code] of all.entries()) await seal(at.store, BigInt(index), code);
    for (const code of all) expect(Buffer.from(storedCode(at.path, sha256(code)) as Uint8Array).equals(code)).toBe(true);
    const blobs = rowsOf(at.path, "SELECT base_id FROM _bytecode_blobs ORDER BY id");
    expect(blobs.slice(0, 4)).toMatchObject([{ base_id: null }, { base_id: 1 }, { base_id: 1 }, { base_id: null }]);
  });

  test("refuses bytecodes that are packed with each other", async () => {
    await using at = await temporaryStore();
    for (const [index, code] of versions.entries()) await seal(at.store, BigInt(index), code);
    await at.store.close();
    const raw = new Database(at.path);
    raw.exec("UPDATE _bytecode_blobs SET base_id = 2 WHERE id = 1");
    raw.close();
    for (const code of versions)
      expect(() => storedCode(at.path, sha256(code))).toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_DAMAGED" }));
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
