import { mkdirSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import fc from "fast-check";
import { beforeAll, describe, expect } from "vitest";
import { writeModule } from "../../../../sim/module-writer/module-writer.ts";
import { judgeChanges } from "../../../../src/capabilities/changes/judge/judge.ts";
import type { KnownJudgement, WatchedChange } from "../../../../src/capabilities/watch/alerts/watches.ts";
import { judgeWatches, matchChanges } from "../../../../src/capabilities/watch/judge/judge-watches.ts";
import { type ModuleArchive, moduleArchive } from "../../../../src/core/db/archive/read/module-archive.ts";
import { openStore } from "../../../../src/core/work/store.ts";
import { ended, runCli, sealModules, temporaryDirectory, test } from "../../../support/index.ts";
import { law } from "../../../support/property/law.ts";

/** What a module is at each version from 0 on, as letters; and the versions at which it was looked at. */
type Life = { readonly states: readonly string[]; readonly seen: readonly number[] };

const life = fc
  .array(fc.constantFrom("a", "b", "c"), { minLength: 2, maxLength: 24 })
  .chain((states) =>
    fc.record({ states: fc.constant(states), seen: fc.uniqueArray(fc.nat(states.length - 1), { minLength: 2, maxLength: states.length }) }),
  );

/** The changes that somebody sees who looked at these versions alone. */
function changesSeen({ states }: Life, seen: readonly number[]): WatchedChange[] {
  const looks = seen.toSorted((a, b) => a - b);
  return looks.slice(1).flatMap((now, i) => {
    const before = looks[i] as number;
    const [from, to] = [states[before] as string, states[now] as string];
    if (from === to) return [];
    const bounds = { afterVersion: BigInt(before), atOrBeforeVersion: BigInt(now), isExact: now === before + 1 };
    return [{ address: "0x1", module: "m", from, to, ...bounds, shownBy: BigInt(now), abiChanged: null } as WatchedChange];
  });
}

/** Judgements as they stand after each look that was added, in that order. */
function judgedInTurn(subject: Life): { known: KnownJudgement[]; fresh: WatchedChange[] } {
  let known: KnownJudgement[] = [];
  const all: WatchedChange[] = [];
  for (let count = 2; count <= subject.seen.length; count++) {
    const { fresh, tightened } = matchChanges(known, changesSeen(subject, subject.seen.slice(0, count)));
    known = known.map((one) => ({ ...one, ...tightened.find(({ id }) => id === one.id) }));
    known.push(...fresh.map((change, i) => ({ ...change, id: known.length + i + 1 })));
    all.push(...fresh);
  }
  return { known, fresh: all };
}

const placeOf = ({ from, to, afterVersion, atOrBeforeVersion }: KnownJudgement | WatchedChange): string =>
  `${from} ${to} ${afterVersion} ${atOrBeforeVersion}`;

describe("changes that were judged before", () => {
  law("in whatever order looks come, each change of the end stands once among the judgements", 500, [life], (subject) => {
    const { known } = judgedInTurn(subject);
    const places = known.map(placeOf);
    for (const change of changesSeen(subject, subject.seen)) expect(places.filter((place) => place === placeOf(change))).toHaveLength(1);
  });

  law("judging again finds nothing", 100, [life], (subject) => {
    const { known } = judgedInTurn(subject);
    expect(matchChanges(known, changesSeen(subject, subject.seen))).toEqual({ fresh: [], tightened: [] });
  });
});

const RET = Uint8Array.of(0x02);
/** A number that is computed with: LdU64 7, Pop. */
const SEVEN = [Uint8Array.of(0x06, 7, 0, 0, 0, 0, 0, 0, 0), Uint8Array.of(0x01)];
const fn = (name: string, ...code: readonly Uint8Array[]) => ({ name, visibility: "public" as const, params: [], returns: [], code });
const clear = "DELETE FROM _judgement_finding_calls; DELETE FROM _judgement_findings; DELETE FROM _judgements";
const vault = (...functions: readonly ReturnType<typeof fn>[]) => writeModule({ address: "0xb", name: "vault", functions });

describe("what a watch makes of the stored judgement of a night", () => {
  const place = temporaryDirectory();
  const db = place.file("night.db");
  beforeAll(async () => {
    await sealModules(db, [{ version: 10n, accounts: { "0xb": [vault(fn("open", RET), fn("shut", RET))] } }]);
    const add = (...words: string[]) => runCli(["watch", "add", ...words, "--db", db]);
    for (const item of ["open", "shut"])
      for (const level of ["breaking", "dangerous", "behaviour", "any"])
        expect((await add(`0xb::vault::${item}`, "--level", level)).code).toBe(0);
    await sealModules(db, [{ version: 20n, accounts: { "0xb": [vault(fn("open", ...SEVEN, RET), fn("shut", RET))] } }]);
  });

  /** Judges, then looks for all watches; the bytes that were read for comparing, and who is told. */
  const look = async (): Promise<{ read: number; told: readonly string[] }> => {
    const store = await openStore(db, { mode: "write", now: () => 0 });
    const archive = moduleArchive(store.engine, db);
    let read = 0;
    const contents: ModuleArchive["contents"] = (bytecodes) => {
      read += bytecodes.length;
      return archive.contents(bytecodes);
    };
    try {
      await judgeChanges(store.engine);
      await judgeWatches({ ...archive, contents }, () => 0);
    } finally {
      await store.close();
    }
    const { stdout } = await runCli(["query", "SELECT watch, severity FROM alerts ORDER BY watch", "--format", "csv", "--db", db]);
    return { read, told: stdout.trim().split(/\r?\n/).slice(1) };
  };
  const change = (sql: string): void => {
    const database = new Database(db);
    database.exec(sql);
    database.close();
  };

  test("compares a change once for all watches that it is bad enough for", async () => {
    // Watches 1 to 4 are on the changed function: two of them get a behaviour alert. Watch 8, on the other, gets one because its module has
    // other bytes.
    expect(await look()).toEqual({ read: 2, told: ["3,behaviour", "4,behaviour", "8,silent"] });
  });

  test("compares nothing that is stored as milder than any watch wants, and what no judgement stands of", async () => {
    change(`${clear}; UPDATE _judged_upgrades SET severity = 'silent', callers = 'silent', clients = NULL, readers = NULL`);
    expect(await look()).toEqual({ read: 2, told: ["4,behaviour", "8,silent"] });
    change(`${clear}; DELETE FROM _watches WHERE level = 'any'`);
    expect(await look()).toEqual({ read: 0, told: [] });
    change(`${clear}; UPDATE _judged_upgrades SET rules = 0`);
    expect(await look()).toEqual({ read: 2, told: ["3,behaviour"] });
  });
});

test("a friend that a dependency lost alarms the watch of the friend's package, and no other", async ({ place }) => {
  const db = place.file("night.db");
  const vault = (friends: readonly string[]) => writeModule({ address: "0xb", name: "vault", friends });
  await sealModules(db, [{ version: 10n, accounts: { "0xb": [vault(["0xb::till"])] } }]);
  for (const name of ["till", "shop"]) {
    mkdirSync(place.file(name));
    writeFileSync(place.file(`${name}/m.mv`), writeModule({ address: "0xb", name, dependencies: ["0xb::vault"] }));
    await ended(runCli(["lock", place.file(name), place.file(`${name}/movedex.lock`), "--against", db]));
    await ended(runCli(["watch", "add", place.file(`${name}/movedex.lock`), "--level", "dangerous", "--db", db]));
  }
  await sealModules(db, [{ version: 20n, accounts: { "0xb": [vault([])] } }]);
  expect((await runCli(["tell", "--alerts-file", place.file("alerts.jsonl"), "--db", db])).code).toBe(0);
  const { stdout } = await runCli(["query", "SELECT subject, severity FROM alerts", "--format", "csv", "--db", db]);
  expect(stdout.trim().split(/\r?\n/).slice(1)).toEqual(["till (0xb::till),dangerous"]);
});
