import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { packCode, type Version } from "../../../src/archive/content/code-blobs.ts";
import { sha256 } from "../../../src/base/sha256.ts";
import { changeFile, rowsOf } from "../../support/store/ask-file.ts";
import { addressOf, night, storedCode, temporaryStore } from "../../support/store/temporary-store.ts";

const one = addressOf(1);
const body = randomBytes(5000);
const versions = [0, 1, 2].map((release) => Buffer.concat([body, Buffer.from(`release ${release}`)]));
const unlike = randomBytes(5000);

/** A store to which each night brought another version of a module. */
async function storeOf(codes: readonly Uint8Array[]) {
  const at = await temporaryStore();
  for (const [index, code] of codes.entries()) {
    const modules = [{ name: "coin", sha256: sha256(code), content: { code, bytecodeVersion: null } }];
    await night(at.engine, BigInt(index), [[one, { sequence: null, modules }]]);
  }
  return at;
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
    const all = [...versions, unlike, Buffer.alloc(0)];
    await using at = await storeOf(all);
    for (const code of all) expect(Buffer.from(storedCode(at.path, sha256(code)) as Uint8Array).equals(code)).toBe(true);
    const blobs = rowsOf(at.path, "SELECT base_id FROM _bytecode_blobs ORDER BY id");
    expect(blobs.slice(0, 4)).toMatchObject([{ base_id: null }, { base_id: 1 }, { base_id: 1 }, { base_id: null }]);
  });

  test.each([
    ["bytecodes are packed with each other", "base_id = 2"],
    ["bytes are others", "code = x'00'"],
  ])("says that the database is damaged where %s", async (_, damage) => {
    await using at = await storeOf(versions);
    await at.close();
    changeFile(at.path, `UPDATE _bytecode_blobs SET ${damage} WHERE id = 1`);
    const damaged = expect.objectContaining({ code: "MOVEDEX_STORE_DAMAGED", exit: "corrupt" });
    for (const code of versions) expect(() => storedCode(at.path, sha256(code))).toThrow(damaged);
  });
});
