import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize } from "@mysten/move-bytecode-template";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBuild } from "../../../src/capabilities/compare/check/build-folder.ts";
import { readOwnUses } from "../../../src/capabilities/compare/lock/make-lock.ts";
import { reachOf, usesAtVersions } from "../../../src/capabilities/uses/reach.ts";
import { openModuleArchive } from "../../../src/core/db/archive/read/module-archive.ts";
import { sampled, sized } from "../../run-size.ts";
import { describeReleases, moduleReader, readReleases, releaseSnapshots, sealModules, temporaryDirectory } from "../../support/index.ts";
import { otherReadersUses, type TemplateModule } from "../../support/second-reader/template-code.ts";

type Uses = ReturnType<typeof otherReadersUses>;

/** Everything that some names lead to; the names themselves too. */
function closure(from: Iterable<string>, next: (name: string) => readonly string[]): Set<string> {
  const found = new Set(from);
  for (const name of found) for (const other of next(name)) found.add(other);
  return found;
}

/** What own modules depend on and use of it, at any depth, by the other reader's tables. */
function otherReadersReach(own: readonly Uses[], all: ReadonlyMap<string, Uses>) {
  const isOwn = new Set(own.map(({ id }) => id));
  const modules = closure(
    own.flatMap((uses) => uses.modules).filter((id) => !isOwn.has(id)),
    (id) => (all.get(id)?.modules ?? []).filter((other) => !isOwn.has(other)),
  );
  const moduleOf = (item: string): string => item.slice(0, item.lastIndexOf("::"));
  const foreign = (items: readonly string[]): string[] => items.filter((item) => !isOwn.has(moduleOf(item)));
  const direct = {
    function: new Set(own.flatMap((uses) => foreign(uses.functions))),
    struct: new Set(own.flatMap((uses) => foreign(uses.structs))),
  };
  const functions = closure(direct.function, (name) => (isOwn.has(moduleOf(name)) ? [] : (all.get(moduleOf(name))?.calls.get(name) ?? [])));
  const structs = new Set([...direct.struct, ...[...modules].flatMap((id) => all.get(id)?.structs ?? [])]);
  return { modules, direct, reached: { function: functions, struct: structs } };
}

describeReleases("what real packages depend on", () => {
  const place = temporaryDirectory();
  const read = moduleReader();
  // The other reader knows bytecode up to version 6.
  const releases = readReleases().filter((_, i) => i === 0 || i === 66);
  let archive: Awaited<ReturnType<typeof openModuleArchive>>;

  beforeAll(async () => {
    await sealModules(
      place.file("night.db"),
      releaseSnapshots(releases, (sha256) => read(sha256).bytes),
    );
    archive = await openModuleArchive(place.file("night.db"));
  });
  afterAll(() => archive?.close());

  test("is what a second reader of the bytecode finds, for each module by itself and for whole accounts", async () => {
    const seen = { packages: 0, modules: 0, directly: 0, "through others": 0, not: 0 };
    for (const [i, release] of releases.entries()) {
      const all = new Map(
        Array.from(release.modules, ([id, sha256]) => [id, otherReadersUses(deserialize(read(sha256).bytes) as TemplateModule)]),
      );
      const accounts = [...Map.groupBy(release.modules.keys(), (id) => id.split("::")[0] as string).values()].filter(
        (ids) => ids.length < 50,
      );
      const packages = [
        ...accounts,
        ...sampled(
          [...release.modules.keys()].map((id) => [id]),
          12,
        ),
      ];
      for (const [n, ids] of packages.entries()) {
        const folder = join(place.file(`${i}-${n}`));
        mkdirSync(folder);
        for (const id of ids) writeFileSync(join(folder, `${id.replaceAll(":", "_")}.mv`), read(release.modules.get(id) ?? "").bytes);
        const { modules, unknown, useOf } = await reachOf(
          usesAtVersions(archive),
          await readOwnUses(openBuild(folder)),
          BigInt(i + 1) * 1000n,
        );
        const expected = otherReadersReach(
          ids.map((id) => all.get(id) as Uses),
          all,
        );
        expect([...modules].toSorted(), ids.join()).toEqual([...expected.modules].toSorted());
        expect([...unknown]).toEqual([]);
        for (const id of modules) {
          const { abi } = read(release.modules.get(id) ?? "");
          for (const [kind, items] of [
            ["function", abi.functions],
            ["struct", abi.structs],
          ] as const) {
            for (const { name } of items) {
              const item = `${id}::${name}`;
              const use = useOf(kind, item);
              expect(use, `${ids.join()} of ${item}`).toBe(
                expected.direct[kind].has(item) ? "directly" : expected.reached[kind].has(item) ? "through others" : "not",
              );
              seen[use] += 1;
            }
          }
        }
        seen.packages += 1;
        seen.modules += modules.size;
      }
    }
    expect(seen.packages).toBeGreaterThan(sized(20, 150));
    expect(seen.modules).toBeGreaterThan(sized(100, 1_500));
    for (const use of ["directly", "through others", "not"] as const) expect(seen[use], use).toBeGreaterThan(50);
  });
});
