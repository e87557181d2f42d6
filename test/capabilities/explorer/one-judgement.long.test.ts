import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { SimLedger, startSimNode, writeModule } from "../../../sim/index.ts";
import type { AlertMessage } from "../../../src/capabilities/watch/tell/message.ts";
import { changeFile, ended, jsonLines, runCli, test } from "../../support/index.ts";
import { crawl } from "../serve/support/served-archive.ts";
import { servePages } from "./support/served-pages.ts";

type Code = Parameters<typeof writeModule>[0];
const RET = Uint8Array.of(0x02);
const NOP = Uint8Array.of(0x28);
const open = (name: string, code = [RET]) => ({ name, visibility: "public" as const, params: [], returns: [], code });
/** Returns a number. */
const gives = (number: number) => ({ ...open("acts", [Uint8Array.of(0x06, number, 0, 0, 0, 0, 0, 0, 0), RET]), returns: ["u64"] });
const struct = (name: string) => ({ name, abilities: [], fields: [] });
const GARBAGE = new Uint8Array([0xa1, 0x1c, 0xeb, 0x0b, 6, 0, 0, 0, 0xff, 0xff]);
type Parts = Partial<Pick<Code, "functions" | "structs" | "errors">> | "garbage" | undefined;

/** Modules before and after the night, by account: a change of each severity, a release of six, one that comes and one that goes. */
const night: Readonly<Record<string, Readonly<Record<string, readonly [before: Parts, after: Parts]>>>> = {
  "0xa1": {
    loses: [{ functions: [open("stays"), open("goes", [NOP, RET])] }, { functions: [open("stays"), open("comes", [NOP, RET])] }],
    wordless: [{ errors: [{ code: 1, name: "EGONE", description: "It is gone" }] }, {}],
  },
  "0xa2": {
    acts: [{ functions: [gives(1)] }, { functions: [gives(2)] }],
    hides: [{ functions: [open("acts")] }, { functions: [open("acts"), { name: "hidden", code: [RET] }] }],
    riddle: [{ functions: [open("acts")] }, "garbage"],
  },
  "0xa3": { comes: [undefined, {}], goes: [{}, undefined], stands: [{}, {}] },
  "0xa4": Object.fromEntries(
    "abcdef".split("").map((letter) => [`part_${letter}`, [{ structs: [struct("A")] }, { structs: [struct("A"), struct("B")] }]]),
  ),
};
const expected = { breaking: 2, unclear: 1, dangerous: 1, behaviour: 1, safe: 7, silent: 1 };
/** As pages, reports, watches and messages weigh it: what goes and no module that is held uses may break callers, and does not for sure. */
const weighed = { ...expected, breaking: 1, dangerous: 2 };

async function readTwice(db: string, url: string, alertsFile: string): Promise<void> {
  const accounts = Object.keys(night);
  const run = async (...argv: string[]) => {
    await ended(runCli([...argv, "--db", db]));
  };
  await crawl(db, url, accounts, { version: 100n });
  await run("watch", "add", ...accounts, "--level", "any");
  await crawl(db, url, accounts, { version: 200n });
  await run("tell", "--alerts-file", alertsFile);
}

function ledgerOf(): SimLedger {
  const ledger = new SimLedger({ chainId: 9 });
  const publish = (side: 0 | 1): Parameters<SimLedger["transact"]>[0] => {
    return (writer) => {
      for (const [address, modules] of Object.entries(night)) {
        if (side === 0) writer.account(address, { sequenceNumber: 1n });
        for (const [name, parts] of Object.entries(modules)) {
          const is = parts[side];
          if (is === undefined) {
            if (side === 1) writer.remove(address, name);
          } else writer.publish(address, name, is === "garbage" ? GARBAGE : writeModule({ address, name, ...is }));
        }
      }
    };
  };
  ledger.genesis(publish(0));
  ledger.advanceTo(150n);
  ledger.transact(publish(1));
  ledger.advanceTo(200n);
  return ledger;
}

/** The numbers before each severity's name in a text. */
const countsIn = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/([\d,]+)\s+(breaking|unclear|dangerous|behaviour|safe|silent)\b/g)].map(([, n, level]) => [level, Number(n)]),
  );
const counted = (levels: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(levels, (level) => level)].map(([level, { length }]) => [level, length]));

/** What each of the ways to ask says of the night: by severity, and whether it names the function that only has another name. */
async function sixWays(db: string, alertsFile: string) {
  await using served = await servePages(db);
  const read = async (path: string) => (await served.get(path)).text;
  const sentence = (page: string) =>
    page
      .replaceAll(/<[^>]*>/g, " ")
      .split("\n")
      .find((line) => /\d breaking\s*, +\d/.test(line)) ?? "";
  const alerts = jsonLines<AlertMessage>(readFileSync(alertsFile, "utf8"));
  const [overview, changes, feed] = [await read("/"), await read("/changes?night=200"), await read("/changes.atom")];
  const report = await runCli(["report", "--json", "--db", db]);
  const renames = await runCli(["query", "SELECT item_kind, from_name, to_name FROM item_renames", "--format", "csv", "--db", db]);
  const sentences = { overview, changes, feed };
  const named = [
    ...Object.entries(sentences).filter(([, text]) => text.includes("function goes is called comes now")),
    ...Object.entries({ report: report.stdout, messages: JSON.stringify(alerts), sql: renames.stdout }).filter(([, text]) =>
      /function\W+(?:from_name\W+)?goes\W+(?:to_name\W+)?comes/.test(text),
    ),
  ].map(([way]) => way);
  const query = await runCli(["query", "SELECT severity FROM judged_changes", "--json", "--db", db]);
  const watched = await runCli(["query", "SELECT severity FROM alerts", "--json", "--db", db]);
  const severities = (out: string) => counted((JSON.parse(out) as { severity: string }[]).map(({ severity }) => severity));
  return {
    named,
    overview: countsIn(sentence(overview)),
    changes: countsIn(sentence(changes)),
    feed: counted([...feed.matchAll(/<category term="(?!alert)(\w+)"\/>/g)].map(([, level]) => level as string)),
    report: report.json()["changes_by_severity"],
    watch: severities(watched.stdout),
    messages: counted(alerts.map(({ severity }) => severity)),
    sql: severities(query.stdout),
  };
}

const sameEverywhere: Readonly<Record<string, object>> = {
  sql: expected,
  // The release of six is one entry.
  feed: { ...weighed, safe: 2 },
  ...Object.fromEntries(["overview", "changes", "report", "watch", "messages"].map((way) => [way, weighed])),
  named: ["overview", "changes", "feed", "report", "messages", "sql"],
};

test("a night has the same changes of each severity and the same new names, whichever way one asks", async ({ place }) => {
  const [db, alertsFile] = [place.file("archive.db"), place.file("alerts.jsonl")];
  await using node = await startSimNode({ ledger: ledgerOf() });
  await readTwice(db, node.url, alertsFile);
  expect(await sixWays(db, alertsFile)).toEqual(sameEverywhere);
  // What other rules judged is not believed, and the next run judges it again.
  expect(changeFile(db, "UPDATE _judged_upgrades SET rules = 0, severity = 'silent', breaking = 0")).toBeGreaterThan(8);
  const { sql: _, ...untilThen } = sameEverywhere;
  expect(await sixWays(db, alertsFile)).toMatchObject(untilThen);
  await crawl(db, node.url, Object.keys(night), { version: 200n });
  expect(await sixWays(db, alertsFile)).toEqual(sameEverywhere);
});
