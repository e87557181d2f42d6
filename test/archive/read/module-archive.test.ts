import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ModuleSpec } from "../../../sim/module-writer/module-spec.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { readChain } from "../../../src/archive/chain.ts";
import { openModuleArchive } from "../../../src/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../src/archive/snapshots/snapshot-queries.ts";
import { type Address, parseAddress } from "../../../src/move/address.ts";
import { sealModules } from "../../support/sealed-modules.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const at = (text: string) => parseAddress(text) as Address;
const [one, cafe, dead] = [at("0x1"), at("0xcafe"), at("0xdead")];
const module = (address: string, name: string, parts: Partial<ModuleSpec> = {}) => writeModule({ address, name, ...parts });
const coin = [module("0x1", "coin"), module("0x1", "coin", { functions: [{ name: "f", visibility: "public" }] })] as const;
const user = module("0xcafe", "user", { dependencies: ["0x1::coin"] });
/** Of a version that nobody knows. */
const broken = module("0xcafe", "broken").with(4, 99);

describe("a module archive", () => {
  const place = temporaryDirectory();
  let archive: Awaited<ReturnType<typeof openModuleArchive>>;

  beforeAll(async () => {
    const path = place.file("archive.db");
    await sealModules(path, [
      { version: 10n, accounts: { [one]: [coin[0]], [cafe]: [user] } },
      { version: 20n, accounts: { [one]: [coin[0]], [cafe]: "timeout" } },
      { version: 30n, accounts: { [one]: [coin[1], module("0x1", "table")], [dead]: [] } },
      { version: 40n, accounts: { [one]: [coin[1]], [cafe]: [user, broken] } },
    ]);
    archive = await openModuleArchive(path);
  });
  afterAll(() => archive.close());

  const names = (list: readonly { readonly address: string; readonly name: string }[]) =>
    list.map(({ address, name }) => `${address}::${name}`);

  test("says what was sealed, and about whom", async () => {
    expect(await readChain(archive.engine)).toBe(4);
    expect(await readSealedVersions(archive.engine)).toEqual([10n, 20n, 30n, 40n]);
    const newest = [one, cafe, dead, at("0x5")].map((address) => archive.newestCovering(address));
    expect(await Promise.all(newest)).toEqual([40n, 40n, 30n, undefined]);
    const before = [archive.newestCovering(cafe, 40n), archive.oldestCovering(cafe), archive.newestCovering(cafe, 10n)];
    expect(await Promise.all(before)).toEqual([10n, 10n, undefined]);
    expect(await Promise.all([10n, 20n, 30n, 40n].map((version) => archive.covers(cafe, version)))).toEqual([true, false, false, true]);
    expect(await archive.gapReason(cafe, 20n)).toBe("timeout");
    expect(await archive.gapReason(cafe, 30n)).toBeUndefined();
    expect(await archive.coverage(20n)).toEqual({ accounts: 1, gaps: 1 });
    expect((await Array.fromAsync(archive.coveredAccounts(30n))).sort()).toEqual([one, dead]);
    expect(await Array.fromAsync(archive.coveredAccounts(30n, 40n))).toEqual([dead]);
    expect(await Array.fromAsync(archive.coveredAccounts(20n, 10n))).toEqual([]);
  });

  test("tells accounts that two snapshots show alike from those that changed or that one of them does not know", async () => {
    expect(names(await archive.modulesUnlike(10n, 20n))).toEqual(["0xcafe::user"]);
    expect(names(await archive.modulesUnlike(20n, 10n))).toEqual([]);
    expect(await archive.countAlike(20n, 10n)).toBe(1);
    expect(names(await archive.modulesUnlike(40n, 10n))).toEqual(["0x1::coin", "0xcafe::broken", "0xcafe::user"]);
    for (const version of [10n, 20n, 30n, 40n]) {
      const all = names(await archive.modulesAt(version));
      expect([await archive.countAlike(version, version), await archive.modulesUnlike(version, version)]).toEqual([all.length, []]);
      for (const other of [10n, 20n, 30n, 40n]) {
        const unlike = names(await archive.modulesUnlike(version, other));
        expect(unlike.length + (await archive.countAlike(version, other))).toBe(all.length);
      }
    }
  });

  test("lists what stood, and nothing where nobody answered", async () => {
    expect(names(await archive.modulesAt(10n))).toEqual(["0x1::coin", "0xcafe::user"]);
    expect(names(await archive.modulesAt(20n))).toEqual(["0x1::coin"]);
    expect(names(await archive.modulesAt(30n, one))).toEqual(["0x1::coin", "0x1::table"]);
    expect(names(await archive.modulesAt(30n, cafe))).toEqual([]);
    expect(await archive.findModule({ address: one, name: "table" }, 40n)).toBeUndefined();
    expect(await archive.findModule({ address: cafe, name: "user" }, 30n)).toBeUndefined();
    expect(await archive.findModule({ address: one, name: "coin" }, 20n)).toMatchObject({ from: 10n, to: 20n, size: coin[0].length });
  });

  test("tells a module's history, and where its name is known", async () => {
    const history = await archive.historyOf({ address: one, name: "coin" });
    expect(history.map(({ from, to }) => [from, to])).toEqual([
      [10n, 20n],
      [30n, null],
    ]);
    expect(names(await archive.modulesNamed("coin"))).toEqual(["0x1::coin"]);
    expect(names(await archive.knownModules())).toEqual(["0x1::coin", "0x1::table", "0xcafe::broken", "0xcafe::user"]);
  });
});
