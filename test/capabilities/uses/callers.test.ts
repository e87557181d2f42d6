import { copyFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { usersAt } from "../../../src/capabilities/changes/diff/users.ts";
import { recipes } from "../../../src/capabilities/cookbook/recipes/cookbook.ts";
import { type Call, findCallers, formatDot, modulesWithoutCalls } from "../../../src/capabilities/uses/callers.ts";
import { referring } from "../../../src/capabilities/uses/dependents.ts";
import { findDirectUses, findStructUses } from "../../../src/capabilities/uses/direct-uses.ts";
import { openModuleArchive, type StoredModule } from "../../../src/core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { parseCode } from "../../../src/core/move/code/read-code.ts";
import { formatItemId, formatModuleId, type ModuleId } from "../../../src/core/move/module-id.ts";
import { sized } from "../../run-size.ts";
import { describeReleases, sealModules, temporaryDirectory } from "../../support/index.ts";
import { moduleReader, type RecordedRelease, readReleases, releaseSnapshots } from "../../support/recorded-releases.ts";
import { usesOf } from "../../support/second-reader/call-lines.ts";
import { forgetRows } from "../../support/store/forget-rows.ts";
import { writeSmallArchive } from "../verify/small-archive.ts";

const everything = { depth: 1_000, functions: 100_000 };

/** Who calls whom in a release, from every instruction of every module. */
function allCalls(release: RecordedRelease, bytesOf: (sha256: string) => Uint8Array): Map<string, Set<string>> {
  const callers = new Map<string, Set<string>>();
  for (const sha256 of release.modules.values()) {
    const { module, functions } = parseCode(bytesOf(sha256));
    for (const { definition, instructions } of functions()) {
      for (const { reference } of instructions) {
        const callee = reference?.kind === "function" ? formatItemId(reference.handle) : undefined;
        if (callee === undefined) continue;
        callers.set(callee, (callers.get(callee) ?? new Set()).add(`${formatModuleId(module.self)}::${definition.handle.name}`));
      }
    }
  }
  return callers;
}

/** The functions that reach some functions, with the least number of calls. */
function closure(callers: ReadonlyMap<string, ReadonlySet<string>>, targets: readonly string[]): Map<string, number> {
  const depths = new Map(targets.map((target) => [target, 0]));
  for (const [name, depth] of depths) {
    for (const caller of callers.get(name) ?? []) if (!depths.has(caller)) depths.set(caller, depth + 1);
  }
  return depths;
}

describeReleases("callers in recorded releases", () => {
  const place = temporaryDirectory();
  const read = moduleReader();
  const releases = readReleases().filter((_, i) => i === 0 || i === 66 || i === 133);
  const bytesOf = (sha256: string): Uint8Array => read(sha256).bytes;
  let archive: Awaited<ReturnType<typeof openModuleArchive>>;

  beforeAll(async () => {
    await sealModules(place.file("night.db"), releaseSnapshots(releases, bytesOf));
    archive = await openModuleArchive(place.file("night.db"));
  });
  afterAll(() => archive?.close());

  test("of every module are those that a walk over all instructions finds, at the same depth and by the same calls", async () => {
    let functions = 0;
    for (const [i, release] of releases.entries()) {
      const callers = allCalls(release, bytesOf);
      for (const [place, sha256] of [...release.modules.values()].entries()) {
        if (place % sized(24, 1) !== 0) continue;
        const { abi } = read(sha256);
        const id: ModuleId = { address: abi.address, name: abi.name };
        const targets = abi.functions.map(({ name }) => ({ module: id, name }));
        const graph = await findCallers(archive, BigInt(i + 1) * 1000n, targets, everything);
        const expected = closure(callers, targets.map(formatItemId));
        expect(new Map(graph.functions.map((fn) => [formatItemId(fn), fn.depth])), formatModuleId(id)).toEqual(expected);
        expect([graph.isCut, graph.unreadable]).toEqual([false, []]);
        const line = ({ caller, callee }: Call): string => `${formatItemId(caller)} ${formatItemId(callee)}`;
        const lines = graph.calls.map(line);
        expect(new Set(lines).size).toBe(lines.length);
        const among = [...callers]
          .filter(([callee]) => expected.has(callee))
          .flatMap(([callee, of]) => [...of].map((caller) => `${caller} ${callee}`));
        expect(new Set(lines)).toEqual(new Set(among));
        functions += graph.functions.length;
      }
    }
    expect(functions).toBeGreaterThan(sized(600, 20_000));
  });

  test("are stored of every module, so that no bytecode has to be read", async () => {
    for (const [i, release] of releases.entries()) {
      const functions = [...release.modules.values()].map((sha256) => ({ module: read(sha256).abi, name: "f" }));
      expect(await modulesWithoutCalls(archive, functions, BigInt(i + 1) * 1000n)).toEqual([]);
    }
  });

  test("are named, function by function, as the users of what another module changed", async () => {
    let named = 0;
    for (const [i, release] of releases.entries()) {
      const callers = allCalls(release, bytesOf);
      // Asked one by one, or of all that are expected at once.
      const expected = i % 2 === 0 ? [] : [...release.modules.values()].map((sha256) => read(sha256).abi);
      const users = usersAt(archive, BigInt(i + 1) * 1000n, undefined, expected);
      for (const [place, sha256] of [...release.modules.values()].entries()) {
        if (place % sized(32, 2) !== 0) continue;
        const { abi } = read(sha256);
        for (const { name } of abi.functions) {
          const found = await users({ address: abi.address, name: abi.name }, { kind: "function", name }, false);
          const functions = (found ?? []).flatMap((user) => (user.functions ?? []).map((caller) => `${formatModuleId(user)}::${caller}`));
          const own = `${formatModuleId(abi)}::`;
          const expected = [...(callers.get(`${own}${name}`) ?? [])].filter((caller) => !caller.startsWith(own));
          expect(functions.toSorted(), `${own}${name}`).toEqual(expected.toSorted());
          named += functions.length;
        }
      }
    }
    expect(named).toBeGreaterThan(sized(15, 500));
  });

  test("are those that the recipe who-calls-function finds in other modules", async () => {
    await using door = await databaseAt(place.file("night.db")).openToQuery();
    const { sql } = recipes.find(({ name }) => name === "who-calls-function") ?? expect.fail("there is no such recipe");
    for (const [module, name] of [
      ["coin", "withdraw"],
      ["vector", "reverse"],
      ["table", "borrow"],
    ] as const) {
      const { rows } = await door.query(sql, { address: "0x1", module, function: name });
      const found = (await Array.fromAsync(rows)).map(([address, other, caller]) => `${address}::${other}::${caller}`);
      const id: ModuleId = { address: read(releases[0]?.modules.get("0x1::coin") ?? "").abi.address, name: module };
      const graph = await findCallers(archive, 3000n, [{ module: id, name }], everything);
      const direct = graph.functions.filter((fn) => fn.depth === 1 && fn.module.name !== module).map(formatItemId);
      expect(found.toSorted(), module).toEqual(direct.toSorted());
      expect(found.length, module).toBeGreaterThan(3);
    }
  });

  test("use generic functions with the type arguments that a second reader finds", async () => {
    let [instantiated, plain] = [0, 0];
    for (const [i, release] of releases.entries()) {
      for (const name of sized(["coin"], ["coin", "vector", "table", "option", "account", "big_ordered_map"])) {
        const id = { address: "0x1", name } as ModuleId;
        const expected = new Map<string, Set<string>>();
        for (const [user, sha256] of release.modules) {
          for (const [caller, callee, types] of usesOf(bytesOf(sha256)))
            if (callee.startsWith(`0x1::${name}::`)) {
              const key = `${user}::${caller} ${callee}`;
              expected.set(key, (expected.get(key) ?? new Set()).add(types));
            }
        }
        const names = new Set([...expected.keys()].map((key) => key.split("::").at(-1) as string));
        const uses = await findDirectUses(archive, id, names, BigInt(i + 1) * 1000n);
        for (const [key, types] of expected) {
          const use = uses.get(key) ?? expect.fail(`${key} is not found`);
          expect(use.instantiations, key).toEqual(new Set([...types].filter(Boolean)));
          if (types.has("")) plain += 1;
          else instantiated += 1;
          expect(use.isCall || use.isValue).toBe(true);
        }
      }
    }
    expect(instantiated).toBeGreaterThan(sized(30, 300));
    expect(plain).toBeGreaterThan(sized(3, 50));
  });
});

test("names that nobody's compiler makes cannot leave their place in a graph", () => {
  const name = 'a"]\n%%{init}%% --> x[<b>&\u001b\\N';
  const module = { address: "0x1", name: "m" } as ModuleId;
  const [fn, other] = [
    { module, name, depth: 0 },
    { module, name: "f", depth: 1 },
  ];
  const graph = { functions: [fn, other], calls: [{ caller: other, callee: fn }], unreadable: [], isCut: false };
  expect(formatDot(graph).split("\n")).toHaveLength(8);
  expect(formatDot(graph)).toContain('"0x1::m::a\\"]\\\\u{a}%%{init}%% --> x[<b>&\\\\u{1b}\\\\N" [style=bold];');
});

test("bytecode that cannot be decoded uses nothing of what it is not known to refer to, also while its rows are still to come", async () => {
  const place = temporaryDirectory();
  const [whole, late] = [place.file("whole.db"), place.file("late.db")];
  await writeSmallArchive(whole);
  copyFileSync(whole, late);
  forgetRows(late);
  const answers = [];
  for (const path of [whole, late]) {
    await using archive = await openModuleArchive(path);
    const version = (await readSealedVersions(archive.engine)).at(-1) as bigint;
    const [called] = await archive.modulesNamed("caller");
    const id = called as ModuleId;
    const users = await usersAt(archive, version)(id, { kind: "function", name: "called" }, false);
    const graph = await findCallers(archive, version, [{ module: id, name: "called" }], everything);
    const coin = { address: "0x1", name: "coin" } as ModuleId;
    const dependents = (await referring(archive, coin, version)).map(({ name }) => name);
    const structs = await findStructUses(archive, (await archive.findModule(coin, version)) as StoredModule, "Coin", version);
    answers.push({ users, graph, dependents, structs });
  }
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[0]?.dependents.length).toBeGreaterThan(0);
});
