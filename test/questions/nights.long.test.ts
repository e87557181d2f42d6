import { expect } from "vitest";
import { compareChanges, findBreaks } from "../../src/capabilities/changes/diff/sides.ts";
import { watchQueries } from "../../src/capabilities/watch/alerts/watches.ts";
import { judgeWatches } from "../../src/capabilities/watch/judge/judge-watches.ts";
import { isExposed } from "../../src/core/abi/model.ts";
import { moduleArchive } from "../../src/core/db/archive/read/module-archive.ts";
import type { Address } from "../../src/core/move/address.ts";
import { itemNameOf, moduleNameOf } from "../../src/core/move/module-id.ts";
import { openStore } from "../../src/core/work/store.ts";
import { rowsOf, sealModules, testReleases } from "../support/index.ts";
import {
  accountOf,
  changedModules,
  moduleReader,
  type RecordedRelease,
  readReleases,
  releaseSnapshots,
} from "../support/recorded-releases.ts";
import { claimsIn, only, type PlainFunction, plainClosure, plainFunctions } from "../support/second-reader/plain-effects.ts";

const subject = "0x1::coin::withdraw";
/** What only computes counts like operators, and is not followed. */
const COMPUTING = /^0x1::(?:bcs|cmp|fixed_point\d+|math\w*|mem|option|signer|string|vector)$/;
const read = moduleReader();
const known = new Map<string, ReadonlyMap<string, PlainFunction>>();

/** All that functions of a release do in all modules; an abort with its module, as `0x1::coin aborts 0x1`. */
function closureIn({ modules }: RecordedRelease): (fn: string) => ReadonlySet<string> {
  const functionOf = (fn: string, of: string): PlainFunction | undefined => {
    const [id, name] = [moduleNameOf(fn), itemNameOf(fn)];
    const sha256 = modules.get(id);
    if (sha256 === undefined || (COMPUTING.test(id) && id !== of)) return undefined;
    if (!known.has(sha256)) known.set(sha256, plainFunctions(read(sha256).bytes));
    const found = known.get(sha256)?.get(name);
    return found && { ...found, effects: new Set([...found.effects].map((effect) => effect.replace(/^aborts/, `${id} aborts`))) };
  };
  return (start) => plainClosure(start, (fn) => functionOf(fn, moduleNameOf(start)));
}

testReleases(
  "of 48 nights what is told is so, what is dangerous concerns somebody, and nothing is missed, by a second closure",
  async ({ place }) => {
    const db = place.file("night.db");
    const releases = readReleases().slice(-49);
    const snapshots = releaseSnapshots(releases, (sha256) => read(sha256).bytes);
    const sums = { claims: 0, dangerous: 0, others: 0, carried: 0 };
    const wrong: Record<"claims" | "nobody" | "missing" | "carried", string[]> = { claims: [], nobody: [], missing: [], carried: [] };
    const nights = new Map<string, boolean>();
    for (const [i, snapshot] of snapshots.entries()) {
      await sealModules(db, [snapshot]);
      await using store = await openStore(db, { mode: "write", now: () => 0 });
      const archive = moduleArchive(store.engine, db);
      const watch = { subject, uses: null, audience: "callers", level: "behaviour", since: snapshot.version } as const;
      if (i === 0) await watchQueries(store.engine).addWatch(watch, 0);
      await judgeWatches(archive, () => 0);
      const [before, after] = [releases[i - 1], releases[i] as RecordedRelease];
      if (before === undefined) continue;
      const changes = Array.from(changedModules(before, after), ([id, from = null, to = null]) => {
        return { address: accountOf(id) as Address, module: itemNameOf(id), from, to };
      });
      const range = { after: snapshot.version - 1000n, upTo: snapshot.version };
      const report = await findBreaks(archive, await compareChanges(archive, changes), range);
      const [was, is] = [closureIn(before), closureIn(after)];
      const isOther = (fn: string): boolean =>
        // What a check does is followed, whatever its name.
        [...only(was(fn), is(fn)), ...only(is(fn), was(fn))].some((effect) => !effect.startsWith("checks"));
      const isSame = (fn: string): boolean => [...was(fn)].sort().join() === [...is(fn)].sort().join();
      nights.set(String(snapshot.version), isOther(subject));
      const told = new Set(report?.carried?.changes.map(({ chain }) => chain[0] as string));
      for (const { chain, what } of report?.carried?.changes ?? []) {
        sums.carried += 1;
        if (claimsIn(what.replace(/^.*writes through.*$/, "").replaceAll("no longer ", "")).length > 0 && isSame(chain[0] as string))
          wrong.carried.push(`${chain[0]}: ${what}`);
      }
      for (const { module, findings } of report?.modules ?? [])
        for (const finding of findings) {
          const { rule, worst, item, users, severity } = finding;
          const id = `${module.address}::${module.name}`;
          const functions = item.kind === "function" ? [item.name ?? "", ...(finding.functions ?? [])].map((fn) => `${id}::${fn}`) : [];
          if (worst === "silent") continue;
          for (const fn of functions) told.add(fn);
          const holds = (claim: string, these: typeof was, those: typeof was): boolean => {
            const own = claim.replace(/^aborts/, `${id} aborts`);
            return functions.some((fn) => these(fn).has(own) && (rule === "always-aborts" || !those(fn).has(own)));
          };
          const gone = claimsIn(functions.length === 0 ? null : finding.before).map((claim) => holds(claim, was, is));
          const claims = [...gone, ...claimsIn(functions.length === 0 ? null : finding.after).map((claim) => holds(claim, is, was))];
          sums.claims += claims.length;
          if (claims.includes(false)) wrong.claims.push(`${rule} ${id}::${item.name}`);
          if (worst !== "breaking" && worst !== "dangerous") continue;
          sums.dangerous += 1;
          // What only friends can use concerns those of them that do not link.
          const isOfFriends = item.kind === "friend" || (severity.callers === worst && /^public\(friend\)/.test(finding.before ?? ""));
          if ((isOfFriends && !users?.length) || (claims.length > 0 && !claims.includes(true)))
            wrong.nobody.push(`${rule} ${id}::${item.name}`);
        }
      for (const [id, sha256] of after.modules)
        for (const { name } of before.modules.has(id) ? read(sha256).abi.functions.filter(isExposed) : []) {
          const fn = `${id}::${name}`;
          const isHeld = read(before.modules.get(id) as string).abi.functions.some((one) => one.name === name);
          if (!isHeld || !isOther(fn)) continue;
          sums.others += 1;
          if (!told.has(fn)) wrong.missing.push(`${snapshot.version} ${fn}`);
        }
    }
    if (process.env["MOVEDEX_TEST_PRINT"] === "1") console.log(sums, wrong);
    expect({ ...wrong, missing: [] }).toEqual({ claims: [], nobody: [], missing: [], carried: [] });
    expect(wrong.missing.length / sums.others, wrong.missing.join("\n")).toBeLessThan(0.01);
    expect([sums.claims > 200, sums.dangerous > 200, sums.others > 500, sums.carried > 1_000]).toEqual([true, true, true, true]);
    const alerts = rowsOf<{ version: string }>(db, "SELECT CAST(ledger_version AS text) AS version FROM alerts");
    const alertsIn = (some: readonly string[]): number => alerts.filter(({ version }) => some.includes(version)).length;
    expect([alertsIn([...nights.keys()].slice(24)) <= 10, alertsIn([...nights.keys()].slice(0, 24)) <= 10]).toEqual([true, true]);
    const alerted = new Set(alerts.map(({ version }) => version));
    expect([...nights].filter(([version, isOther]) => isOther && !alerted.has(version))).toEqual([]);
  },
);
