import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { createSampleLedger, faults, type SimNode, startSimNode } from "../../../sim/index.ts";
import { packageFile } from "../../../src/base/files/package-file.ts";
import { makeSite } from "../../../src/pages/site/make-site.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const kept = new AsyncDisposableStack();
const place = kept.use(temporaryDirectory());
const [db, site] = [place.file("archive.db"), place.file("site")];
const sample = createSampleLedger();
const accounts = [...sample.codeAccounts, sample.trader];
const exchange = sample.codeAccounts[2] as string;
let [node, silent]: [SimNode | undefined, boolean] = [undefined, false];
const plan = faults.planFaults([
  { fault: faults.storageFailure("stateValue"), match: ({ target }) => silent && target.includes(exchange) },
]);
node = kept.use(await startSimNode({ ledger: sample.ledger, faults: plan }));
afterAll(() => kept.disposeAsync());

/** Makes a site and says how many modules and accounts were rendered for it. */
async function make(directory: string, baseUrl?: string) {
  const request = { path: db, directory, baseUrl, data: undefined, isDry: false, now: 0 };
  const seen = { foretold: 0, rendered: 0 };
  const made = await makeSite(
    request,
    async ({ files }) => {
      seen.foretold = files;
    },
    () => {
      seen.rendered += 1;
    },
  );
  return { ...seen, files: made?.files };
}

/** All files, what units are made of too. */
function filesOf(directory: string): Map<string, string> {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => name !== ".lock");
  return new Map(
    files.filter((name) => statSync(join(directory, name)).isFile()).map((name) => [name, readFileSync(join(directory, name), "latin1")]),
  );
}

let fresh = 0;
/** Brings the site up to date, and compares it with one that is made anew. */
async function expectSame(night: string, baseUrl?: string): Promise<number> {
  const { rendered } = await make(site, baseUrl);
  const directory = place.file(`fresh-${++fresh}`);
  const anew = await make(directory, baseUrl);
  expect([night, anew.foretold]).toEqual([night, anew.files]);
  const [is, wanted] = [filesOf(site), filesOf(directory)];
  const differing = [...new Set([...is.keys(), ...wanted.keys()])].filter((file) => is.get(file) !== wanted.get(file));
  expect([night, differing]).toEqual([night, []]);
  return rendered;
}

const url = (): string => node?.url ?? "";

test("a site that is brought up to date after each night is the one that is made anew, and renders only what changed", async () => {
  await crawl(db, url(), accounts);
  expect(await expectSame("first")).toBe(17);
  expect(await expectSame("again")).toBe(0);
  const before = sample.ledger.head;
  sample.passDay();
  const after = sample.ledger.head;
  await crawl(db, url(), accounts);
  // Two modules upgraded and one new, what is around them, and their accounts.
  expect(await expectSame("upgrades")).toMatchInlineSnapshot(`14`);
  sample.ledger.advance(1000n);
  await crawl(db, url(), accounts);
  expect(await expectSame("quiet night")).toBe(0);
  sample.ledger.transact((writer) => writer.account(sample.trader, { sequenceNumber: 99n }));
  sample.ledger.advance(1000n);
  await crawl(db, url(), accounts);
  expect(await expectSame("a record changed")).toBe(1);
  silent = true;
  sample.ledger.advance(1000n);
  await crawl(db, url(), accounts);
  silent = false;
  expect(await expectSame("gap")).toMatchInlineSnapshot(`10`);
  sample.ledger.transact((writer) => writer.remove(exchange, "pool"));
  sample.ledger.advance(1000n);
  await crawl(db, url(), accounts);
  expect(await expectSame("removed")).toMatchInlineSnapshot(`10`);
  await ended(runCli(["trace", "--rpc", url(), "--rate", "0", "--db", db]));
  expect(await expectSame("traced")).toMatchInlineSnapshot(`6`);
  await crawl(db, url(), sample.codeAccounts, { version: before + 1n });
  expect(await expectSame("an older snapshot")).toMatchInlineSnapshot(`2`);
  await crawl(db, url(), accounts, { version: before + 1n });
  expect(await expectSame("an older snapshot of more accounts")).toMatchInlineSnapshot(`1`);
  // The first to show the upgrades, whose pages say in how many accounts their users were looked for.
  await crawl(db, url(), sample.codeAccounts, { version: after - 1n });
  expect(await expectSame("an older snapshot that shows upgrades first")).toMatchInlineSnapshot(`14`);
  await crawl(db, url(), accounts, { version: after - 1n });
  expect(await expectSame("the same of more accounts")).toMatchInlineSnapshot(`6`);
  await runCli(["targets", "add", exchange, "--label", "the exchange", "--db", db]);
  expect(await expectSame("label")).toBe(0);
  expect(await expectSame("another address", "https://example.org/")).toBeGreaterThan(17);
});

test("a program whose code changed renders all pages anew, although its version is the same", async () => {
  const [program, directory] = [place.file("program"), place.file("of-program")];
  for (const copied of ["bin", "src", "package.json"]) cpSync(packageFile(copied), join(program, copied), { recursive: true });
  for (const linked of ["node_modules", "migrations"]) symlinkSync(packageFile(linked), join(program, linked));
  const run = async (): Promise<string> => {
    const words = [join(program, "bin/movedex.mjs"), "site", directory, "--db", db, "--no-data"];
    return (await promisify(execFile)(process.execPath, words)).stderr;
  };
  expect(await run()).not.toContain("as they were");
  expect(await run()).toMatch(/; \d+ of them as they were/);
  const layout = join(program, "src/pages/layout.ts");
  writeFileSync(layout, readFileSync(layout, "utf8").replace("What was read is shown", "What was seen is shown"));
  expect(await run()).not.toContain("as they were");
  const pages = [...filesOf(directory)].filter(([name]) => name.endsWith(".html"));
  expect(pages.filter(([, page]) => !page.includes("What was seen is shown"))).toEqual([]);
});
