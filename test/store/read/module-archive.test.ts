import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Address, parseAddress } from "../../../src/move/address.ts";
import type { ModuleSpec } from "../../../src/sim/module-writer/module-spec.ts";
import { writeModule } from "../../../src/sim/module-writer/module-writer.ts";
import { type ModuleArchive, openModuleArchive } from "../../../src/store/read/module-archive.ts";
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
  let archive: ModuleArchive;

  beforeAll(() => {
    const path = place.file("archive.db");
    sealModules(path, [
      { version: 10n, accounts: { [one]: [coin[0]], [cafe]: [user] } },
      { version: 20n, accounts: { [one]: [coin[0]], [cafe]: "timeout" } },
      { version: 30n, accounts: { [one]: [coin[1], module("0x1", "table")], [dead]: [] } },
      { version: 40n, accounts: { [one]: [coin[1]], [cafe]: [user, broken] } },
    ]);
    archive = openModuleArchive(path);
  });
  afterAll(() => {
    archive.close();
    place[Symbol.dispose]();
  });

  const names = (list: readonly { readonly address: string; readonly name: string }[]) =>
    list.map(({ address, name }) => `${address}::${name}`);

  test("says what was sealed, and about whom", () => {
    expect(archive.chainId()).toBe(4);
    expect(archive.sealedVersions()).toEqual([10n, 20n, 30n, 40n]);
    expect([one, cafe, dead, at("0x5")].map(archive.newestCovering)).toEqual([40n, 40n, 30n, undefined]);
    expect([10n, 20n, 30n, 40n].map((version) => archive.covers(cafe, version))).toEqual([true, false, false, true]);
    expect(archive.gapReason(cafe, 20n)).toBe("timeout");
    expect(archive.gapReason(cafe, 30n)).toBeUndefined();
    expect(archive.coverage(20n)).toEqual({ accounts: 1, gaps: 1 });
    expect([...archive.coveredAccounts(30n)].sort()).toEqual([one, dead]);
  });

  test("lists what stood, and nothing where nobody answered", () => {
    expect(names(archive.modulesAt(10n))).toEqual(["0x1::coin", "0xcafe::user"]);
    expect(names(archive.modulesAt(20n))).toEqual(["0x1::coin"]);
    expect(names(archive.modulesAt(30n, one))).toEqual(["0x1::coin", "0x1::table"]);
    expect(names(archive.modulesAt(30n, cafe))).toEqual([]);
    expect(archive.findModule({ address: one, name: "table" }, 40n)).toBeUndefined();
    expect(archive.findModule({ address: cafe, name: "user" }, 30n)).toBeUndefined();
    expect(archive.findModule({ address: one, name: "coin" }, 20n)).toMatchObject({ from: 10n, to: 20n, size: coin[0].length });
  });

  test("tells a module's history, and where its name is known", () => {
    const history = archive.historyOf({ address: one, name: "coin" });
    expect(history.map(({ from, to }) => [from, to])).toEqual([
      [10n, 20n],
      [30n, null],
    ]);
    expect(names(archive.modulesNamed("coin"))).toEqual(["0x1::coin"]);
    expect(names(archive.knownModules())).toEqual(["0x1::coin", "0x1::table", "0xcafe::broken", "0xcafe::user"]);
  });

  test("finds who depends on a module at a snapshot", () => {
    expect(names(archive.dependents({ address: one, name: "coin" }, 40n))).toEqual(["0xcafe::user"]);
    expect(names(archive.dependents({ address: one, name: "coin" }, 20n))).toEqual([]);
    expect(names(archive.dependents({ address: one, name: "table" }, 30n))).toEqual([]);
  });

  test("gives bytes and interface, or why there is none", () => {
    const content = (name: string) => {
      const found = archive.findModule({ address: name === "coin" ? one : cafe, name }, 40n);
      return found && archive.content(found);
    };
    expect(content("coin")).toMatchObject({
      kind: "decoded",
      bytecodeVersion: 7,
      bytes: coin[1],
      module: { abi: { functions: [{ name: "f" }] } },
    });
    expect(content("broken")).toMatchObject({ kind: "unreadable", bytes: broken, reason: expect.stringContaining("at byte") });
  });
});
