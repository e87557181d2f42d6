import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { differenceOf } from "../../../src/abi/compare/difference.ts";
import type { RuleFinding } from "../../../src/abi/compare/finding.ts";
import { isBehaviour } from "../../../src/abi/compare/rules/rules.ts";
import { worstSeverity } from "../../../src/abi/compare/severity.ts";
import { itemsOf } from "../../../src/abi/compare/usage.ts";
import { moduleArchive } from "../../../src/archive/read/module-archive.ts";
import { judgeWatches } from "../../../src/questions/watch/judge-watches.ts";
import { openStore } from "../../../src/work/store.ts";
import { sized } from "../../run-size.ts";
import { ended } from "../../support/command/ended.ts";
import { moduleReader, type RecordedRelease, readReleases, releaseSnapshots, upgradedModules } from "../../support/recorded-releases.ts";
import { runCli } from "../../support/run-cli.ts";
import { sealModules } from "../../support/sealed-modules.ts";
import { plainCodeReader } from "../../support/second-reader/plain-code.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { rowsOf } from "../../support/store/ask-file.ts";
import { test } from "../../support/test.ts";

describe.skipIf(frameworkHistory === undefined)(
  "watches at level behaviour over recorded releases (skipped where they are not there)",
  () => {
    const read = moduleReader(frameworkHistory ?? "");
    const codeOf = plainCodeReader((sha256) => read(sha256).bytes);
    /** What functions call by the second reader: the names behind Call, CallGeneric, PackClosure and PackClosureGeneric. */
    const callsIn = (text: string): string[] => Array.from(text.matchAll(/^(?:17|56|88|89) ([^<\s]+)/gm), ([, name]) => name as string);
    const moduleOf = (name: string): string => name.slice(0, name.lastIndexOf("::"));

    /** The functions that some functions reach in a release, by the second reader; own modules are not looked into. */
    const reachedIn = (release: RecordedRelease, from: readonly string[], own: ReadonlySet<string>): Set<string> => {
      const reached = new Set(from);
      for (const name of reached) {
        const sha256 = release.modules.get(moduleOf(name));
        const code =
          sha256 === undefined || own.has(moduleOf(name)) ? undefined : codeOf(sha256).get(name.slice(moduleOf(name).length + 2));
        for (const callee of callsIn(code ?? "").map(shortened)) reached.add(callee);
      }
      return reached;
    };
    const shortened = (name: string): string => name.replace(/^0*([0-9a-f]+)::/, "0x$1::");

    test("alert for exactly the changes in which a function that is reached does something else", async ({ place }) => {
      const db = place.file("night.db");
      const all = readReleases(frameworkHistory ?? "");
      // The first release that has all three packages; the short run takes a few of the middle.
      const begin = sized(
        60,
        all.findIndex(({ modules }) => [/^0x3::/, /^0x4::/].every((wanted) => [...modules.keys()].some((id) => wanted.test(id)))),
      );
      const releases = all.slice(begin, sized(74, all.length));
      const snapshots = releaseSnapshots(releases, (sha256) => read(sha256).bytes);
      const [first] = releases;
      if (first === undefined) return expect.fail();
      await sealModules(db, snapshots.slice(0, 1));
      const watched: { subject: string; from: readonly string[]; own: ReadonlySet<string> }[] = [];
      for (const subject of ["0x1::coin::withdraw", "0x1::account::create_account"]) {
        expect((await runCli(["watch", "add", subject, "--level", "behaviour", "--for", "callers", "--db", db])).code).toBe(0);
        watched.push({ subject, from: [subject], own: new Set() });
      }
      for (const [name, wanted] of [
        ["token", /^0x3::/],
        ["objects", /^0x4::/],
        ["transfers", /^0x1::aptos_account$/],
      ] as const) {
        const own = [...first.modules].filter(([id]) => wanted.test(id));
        const folder = place.file(name);
        mkdirSync(folder);
        for (const [id, sha256] of own) writeFileSync(`${folder}/${id.split("::")[1]}.mv`, read(sha256).bytes);
        await ended(runCli(["lock", folder, `${folder}/movedex.lock`, "--against", db]));
        await ended(runCli(["watch", "add", `${folder}/movedex.lock`, "--db", db]));
        const calls = own.flatMap(([, sha256]) => [...codeOf(sha256).values()].flatMap(callsIn).map(shortened));
        const ids = new Set(own.map(([id]) => id));
        watched.push({ subject: name, from: calls.filter((callee) => !ids.has(moduleOf(callee))), own: ids });
      }
      const expected: string[] = [];
      /** Those in which all may be the same by another way, through other modules. */
      const maybeSame = new Set<string>();
      for (const [i, snapshot] of snapshots.entries()) {
        const [before, after] = [releases[i - 1], releases[i]];
        if (before === undefined || after === undefined) continue;
        await sealModules(db, [snapshot]);
        const store = await openStore(db, { mode: "write", now: () => 0 });
        await judgeWatches(moduleArchive(store.engine, db), () => 0);
        await store.close();
        for (const { subject, from, own } of watched) {
          const then = reachedIn(after, from, own);
          const reached = new Set([...reachedIn(before, from, own)].filter((name) => from.includes(name) || then.has(name)));
          for (const [id, old, now] of upgradedModules(before, after)) {
            if (own.has(id)) continue;
            const told = differenceOf(read(old), read(now))?.findings.filter(({ rule }) => isBehaviour(rule)) ?? [];
            const isHeard = (finding: RuleFinding): boolean => (worstSeverity(finding.severity, ["callers"]) ?? "silent") !== "silent";
            const about = told.filter((finding) => isHeard(finding) && itemsOf(finding).some(({ name }) => reached.has(`${id}::${name}`)));
            if (about.every(({ effects }) => effects !== undefined)) maybeSame.add(`${subject} ${id} ${snapshot.version}`);
            if (about.length > 0) {
              expected.push(`${subject} ${id} ${snapshot.version}`);
            }
          }
        }
      }
      type Alert = { readonly name: string; readonly severity: string; readonly findings: string };
      const name = "subject || ' ' || address || '::' || module || ' ' || ledger_version AS name";
      const alerts = rowsOf<Alert>(db, `SELECT ${name}, severity, findings FROM alerts`);
      const byBehaviour = alerts.filter(({ severity }) => severity === "behaviour").map((alert) => alert.name);
      // Not too many: each behaviour alert is expected. Not too few: each expected one is an alert, unless it is of a worse kind.
      expect(byBehaviour.filter((name) => !expected.includes(name))).toEqual([]);
      const named = new Set(alerts.map((alert) => alert.name));
      const silent = expected.filter((name) => !named.has(name));
      expect(silent.filter((name) => !maybeSame.has(name))).toEqual([]);
      expect(silent.length).toBeLessThan(expected.length / 10);
      expect(byBehaviour.length).toBeGreaterThan(sized(10, 80));
      expect(alerts.some(({ findings }) => findings.includes('"chain":['))).toBe(true);
      if (process.env["MOVEDEX_TEST_PRINT"] === "1") {
        for (const { subject } of watched) {
          const of = (list: readonly string[]): number => list.filter((name) => name.startsWith(`${subject} `)).length;
          console.log(subject, { expected: of(expected), alerts: of([...named]), byBehaviour: of(byBehaviour) });
        }
      }
    });
  },
);
