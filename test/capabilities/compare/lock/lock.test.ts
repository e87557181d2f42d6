import fc from "fast-check";
import { expect, test } from "vitest";
import { writeModule } from "../../../../sim/module-writer/module-writer.ts";
import type { ModuleWithBytes } from "../../../../src/capabilities/changes/compare/difference.ts";
import type { LoadedModule } from "../../../../src/capabilities/changes/compare/sides.ts";
import { markdownOf } from "../../../../src/capabilities/changes/documents/document.ts";
import { checkLock, type LockCheck, lockVerdict } from "../../../../src/capabilities/compare/lock/check-lock.ts";
import { formatLock, type Lock, parseLock, RULES } from "../../../../src/capabilities/compare/lock/lock-file.ts";
import { makeLock } from "../../../../src/capabilities/compare/lock/make-lock.ts";
import { lockDocument } from "../../../../src/capabilities/compare/lock/run.ts";
import type { Modules } from "../../../../src/capabilities/compare/sources.ts";
import { decodeModule } from "../../../../src/core/abi/decode.ts";
import { sha256Hex } from "../../../../src/core/base/sha256.ts";
import { ConfigError } from "../../../../src/core/errors.ts";
import { formatModuleId } from "../../../../src/core/move/module-id.ts";
import { holdsFor } from "../../../support/property/law.ts";
import { moduleOfPieces, pieces } from "../../changes/compare/support/pieces.ts";
import { moduleOf } from "../../changes/compare/support/rule-examples.ts";

const uses = { own: ["0xbeef::app"], modules: ["0xcafe::m"], functions: ["0xcafe::m::f"], structs: ["0xcafe::m::R"] };

function decoded(spec: Parameters<typeof writeModule>[0]): ModuleWithBytes {
  const bytes = writeModule(spec);
  return { ...decodeModule(bytes), bytes, sha256: sha256Hex(bytes) };
}

const around: readonly ModuleWithBytes[] = [
  decoded({
    address: "0x1",
    name: "coin",
    functions: [
      { name: "pay", visibility: "public", abortCode: 71 },
      { name: "take", visibility: "public", abortCode: 72 },
    ],
  }),
  decoded({
    address: "0x1",
    name: "event",
    functions: [{ name: "emit", visibility: "public", typeParams: ["drop store"], params: ["T0"], abortCode: 73 }],
  }),
];

/** Modules in memory; those of `unreadable` are there and cannot be read. */
function modules(list: readonly ModuleWithBytes[], unreadable: readonly string[] = []): Modules {
  const held = new Map([...around, ...list].map((module): [string, LoadedModule] => [formatModuleId(module.abi), { module }]));
  return { label: "now", load: async (id) => (unreadable.includes(id) ? { unreadable: "its bytes are not held" } : held.get(id)) };
}

const lockOf = (list: readonly ModuleWithBytes[], before?: Lock, version = 7n): Promise<Lock> =>
  makeLock(uses, modules(list), { chainId: 4, versionOf: async () => version, packages: new Map([["0xcafe::m", "Market"]]) }, before);
const checked = async (was: ModuleWithBytes, is: ModuleWithBytes): Promise<LockCheck> =>
  checkLock(await lockOf([was]), modules([was]), modules([is]));

const flags = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });

test("a lock stands however functions are divided, inlined and ordered, and its new text differs in the bytes alone", async () => {
  const parts = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 });
  await holdsFor(60, [parts, flags, flags], async (chosen, before, after) => {
    const [was, is] = [moduleOf(moduleOfPieces(chosen, before, false)), moduleOf(moduleOfPieces(chosen, after, true))];
    const { changed, unknown } = await checked(was, is);
    expect([changed, unknown]).toEqual([[], []]);
    // Apart from private functions, which come and go, two lines of the file differ at most.
    const lines = (lock: Lock): string[] =>
      formatLock(lock)
        .replaceAll(/ {8}"g\d+": .*\n/g, "")
        .replaceAll(/",$/gm, '"')
        .split("\n");
    const lock = await lockOf([was]);
    const old = lines(lock);
    const differing = lines(await lockOf([is], lock, 8n)).filter((line, i) => line !== old[i]);
    expect(differing).toEqual(was.sha256 === is.sha256 ? [] : ['      "ledger_version": "8"', `      "sha256": "${is.sha256}"`]);
  });
});

test("its changelog begins with the worst, be it of one item or of many", async () => {
  const names = Array.from({ length: 10 }, (_, i) => `g${i}`);
  const wide = (visibility: "friend" | "public") =>
    decoded({ address: "0xcafe", name: "n", functions: names.map((name) => ({ name, visibility })) });
  const named = (name: string) => decoded({ address: "0xcafe", name: "m", functions: [{ name, visibility: "public" }] });
  const [was, is] = [modules([named("f"), wide("friend")]), modules([named("e"), wide("public")])];
  const functions = ["0xcafe::m::f", ...names.map((name) => `0xcafe::n::${name}`)];
  const reached = { ...uses, modules: ["0xcafe::m", "0xcafe::n"], functions, structs: [] };
  const lock = await makeLock(reached, was, { chainId: 4, versionOf: async () => 7n, packages: new Map() });
  const text = markdownOf(lockDocument(await checkLock(lock, was, is), ["lock"]));
  expect(text).toMatch(/function-removed[\s\S]*10 functions of 1 module changed alike\n[\s\S]*visibility-widened/);
});

test("it falls where what is reached does something no longer, and warns where only what it computes is other", async () => {
  const parts = fc.uniqueArray(fc.constantFrom(...pieces), { minLength: 2, maxLength: 6 });
  const computing: readonly unknown[] = pieces.slice(5, 8);
  await holdsFor(60, [parts, flags, flags], async (chosen, before, after) => {
    const [was, is] = [moduleOf(moduleOfPieces(chosen, before, false)), moduleOf(moduleOfPieces(chosen.slice(1), after.slice(1), true))];
    const found = await checked(was, is);
    const isComputed = computing.includes(chosen[0]);
    expect(lockVerdict(found)).toBe(isComputed ? "done" : "breaking");
    expect(found.changed).toEqual(isComputed ? [] : [{ item: "0xcafe::m::f", kind: "function", what: "effects" }]);
    expect(found.warned.length > 0 || !isComputed).toBe(true);
    expect(found.report?.modules.flatMap(({ findings }) => findings).length).toBeGreaterThan(0);
  });
});

const [was, is] = [
  [0, 1],
  [0, 2],
].map((chosen) =>
  moduleOf(
    moduleOfPieces(
      chosen.map((i) => pieces[i] as (typeof pieces)[number]),
      [],
      false,
    ),
  ),
) as [ModuleWithBytes, ModuleWithBytes];

test("under other rules both sides are hashed again, and where the locked bytes are not held nothing is said to have changed", async () => {
  const lock = { ...(await lockOf([was])), rules: RULES + 1 };
  const again = await checkLock(lock, modules([was]), modules([is]));
  expect(again.changed).toEqual((await checked(was, is)).changed);
  expect((await checkLock(lock, modules([was]), modules([was]))).replaced).toEqual([]);
  const lost = await checkLock(lock, modules([was], ["0xcafe::m"]), modules([is]));
  expect([lockVerdict(lost), lost.changed]).toEqual(["incomparable", []]);
  expect(lost.unknown).toEqual([{ subject: "0xcafe::m", reason: `it was locked under rules ${RULES + 1}, and its bytes are not held` }]);
});

test("what is not known is no change, and what the build uses besides is not locked", async () => {
  const lock = await lockOf([was]);
  const unread = await checkLock(lock, modules([was]), modules([is], ["0xcafe::m"]));
  expect([lockVerdict(unread), unread.unknown.length]).toEqual(["incomparable", 1]);
  // A module that is reached and cannot be read leaves open what those do that call it.
  const caller = moduleOf(moduleOfPieces([pieces[3] as (typeof pieces)[number]], [], false));
  const open = await checkLock(await lockOf([caller]), modules([caller]), modules([is], ["0x1::coin"]));
  expect(open.unknown.map(({ subject }) => subject)).toContain("0x1::coin");
  const more = await checkLock(lock, modules([was]), modules([was]), { ...uses, functions: [...uses.functions, "0x1::coin::pay"] });
  expect(more.unknown).toEqual([
    { subject: "0x1::coin::pay", reason: "the build uses it, and it is not locked: `movedex lock --update` with the build locks it" },
  ]);
  for (const [unreadable, advice] of [
    [["0x9::m"], "`movedex targets add 0x9` has the accounts read."],
    [[], "The accounts were read and have none: the build may be made for another version, which --at names."],
  ] as const)
    await expect(
      makeLock({ ...uses, functions: ["0x9::m::f"] }, modules([was], unreadable), {
        chainId: 4,
        versionOf: async () => 7n,
        packages: new Map(),
      }),
    ).rejects.toThrow(`the build reaches 1 module that the archive does not hold, or cannot read: 0x9::m. ${advice}`);
});

test("a friend that the build no longer is changes what it may call", async () => {
  const vault = (friends: readonly string[]) =>
    decoded({ address: "0xcafe", name: "m", friends, functions: [{ name: "f", visibility: "friend" }], structs: [{ name: "R" }] });
  expect((await checked(vault(["0xbeef::app"]), vault(["0xbeef::other"]))).changed).toEqual([
    { item: "0xcafe::m::f", kind: "function", what: "signature" },
  ]);
  expect((await checked(vault(["0xbeef::app", "0xbeef::other"]), vault(["0xbeef::app"]))).changed).toEqual([]);
});

test("a module that is gone is gone with what was reached of it", async () => {
  const found = await checkLock(await lockOf([was]), modules([was]), modules([]));
  expect(found.changed.map(({ item, what }) => `${item} ${what}`).sort()).toEqual(["0xcafe::m::R gone", "0xcafe::m::f gone"]);
  expect(found.report?.modules[0]?.findings[0]?.rule).toBe("module-removed");
});

test("the file is read as it was written, and a spoiled one is refused by one error", async () => {
  const lock = await lockOf([was]);
  const text = formatLock(lock);
  expect(parseLock(text, "movedex.lock")).toEqual({ ...lock, modules: new Map([...lock.modules].sort(([a], [b]) => (a < b ? -1 : 1))) });
  expect(formatLock(parseLock(text, "movedex.lock"))).toBe(text);
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 4 }), fc.nat(40), (at, put, cut) => {
      try {
        parseLock(text.slice(0, at) + put + text.slice(at + cut), "movedex.lock");
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
      }
    }),
    { numRuns: 500 },
  );
  expect(() => parseLock(text.replace('"format": 1', '"format": 2'), "movedex.lock")).toThrow("its format is 2, and this movedex knows 1");
});

test("what changed alike in several functions is told of those that are reached", async () => {
  const of = (abortCode: number) =>
    decoded({
      address: "0xcafe",
      name: "m",
      structs: [{ name: "R", abilities: [] }],
      functions: ["e", "f", "g"].map((name) => ({ name, visibility: "public" as const, abortCode })),
    });
  const { report } = await checked(of(1), of(2));
  const findings = report?.modules.flatMap((module) => module.findings) ?? [];
  expect(findings.map(({ rule, item, functions }) => [rule, item.name, functions])).toEqual([["abort-codes-changed", "f", undefined]]);
});
