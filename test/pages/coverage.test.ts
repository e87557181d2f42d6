import { afterAll, expect, test } from "vitest";
import { manyAccounts, startSimNode } from "../../sim/index.ts";
import { asWords } from "../support/command/as-words.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { runCli } from "../support/run-cli.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { textOfHtml } from "./support/page-text.ts";
import { servePages } from "./support/served-pages.ts";

const DAY_MS = 86_400_000;

/**
 * An archive with a night of each kind: backfilled versions (read, inferred, lost to the horizon between two runs, still to be read),
 * a night, one that took no head, days without any, a night that a target was taken off before, and one with a gap.
 */
async function everyKindOfNight(db: string): Promise<{ readonly addresses: readonly string[]; readonly clock: ManualClock }> {
  const many = manyAccounts(4, { packages: 2 });
  const addresses = [...many.addresses()];
  many.ledger.advanceTo(11_400n);
  many.upgradeEvery(3);
  many.ledger.advanceTo(15_000n);
  const clock = new ManualClock({ skipSleeps: true, startMs: 1_767_225_600_000 + 400_000 });
  await using node = await startSimNode({ ledger: many.ledger });
  const run = async (expected: readonly number[], ...argv: string[]) => {
    const { code, stderr } = await runCli([...argv, "--db", db], { clock });
    expect(expected, `${argv.join(" ")}: ${stderr}`).toContain(code);
  };
  const asked = ["--rpc", node.url, "--rate", "0"];
  await run([0], "targets", "add", ...addresses);
  await run([0], "backfill", ...asked, "--every", "1000", "--from", "10000", "--to", "14000", "--max-requests", "13");
  many.ledger.advanceTo(40_000n);
  many.ledger.pruneTo(12_500n);
  await run([0, 3], "backfill", ...asked, "--every", "10000", "--from", "20000", "--to", "40000", "--max-requests", "12");
  await run([0], "sync", ...asked);
  await clock.advance(DAY_MS);
  await run([7], "sync", ...asked);
  await clock.advance(3 * DAY_MS);
  await run([0], "targets", "remove", addresses[3] as string);
  many.ledger.advance(1000n);
  await run([0], "sync", ...asked);
  return { addresses, clock };
}

const kept = new AsyncDisposableStack();
afterAll(() => kept.disposeAsync());
const db = kept.use(temporaryDirectory()).file("archive.db");
const { addresses, clock } = await everyKindOfNight(db);
const served = kept.use(await servePages(db, { clock }));
const { text: page } = await served.get("/coverage");

/** The cells of an account's line, as `first to last: what`. */
function cellsOf(address: string): string[] {
  const [, line = ""] = new RegExp(`<g data-account="${address}">([\\s\\S]*?)</g>`).exec(page) ?? [];
  return [...line.matchAll(/<rect class="(\w+)"[^>]*><title>([^<]*)</g)].map(([, kind, words]) => `${kind} ${words}`);
}

const marks = () => [...page.matchAll(/<g class="mark (\w+)"><title>([^<]*)</g)].map(([, kind, words]) => `${kind} ${words}`);

test("a night that took no head is marked where it fell, and so are the days without any", () => {
  expect(marks()).toContain("stale no newer head: sync of 2026-01-02 00:07 UTC");
  expect(marks()).toContain("break 3 days without a snapshot");
  expect(page).toContain('<span class="key stale point">a run that took no head</span>');
});

test("an account that fell out of the targets stands first, is marked, and was not asked about since", () => {
  const removed = addresses[3] as string;
  expect(page.indexOf(removed)).toBeLessThan(page.indexOf(addresses[0] as string));
  expect(page).toContain(`<title>${removed}: off the list of targets since 2026-01-05 00:07 UTC</title>`);
  expect(cellsOf(removed).at(-1)).toBe("never 41,000: never asked");
});

test("versions that were lost between two runs are marked, with the run that found it out and why", () => {
  expect(marks()).toContain("lost lost to the horizon: backfill of 2026-01-01 00:07 UTC");
  for (const version of ["11,000", "12,000"]) {
    const column = new RegExp(`<g><title>version ${version}: asked for by backfill, lost</title>(?:(?!</g>).)*<text class="gone"`);
    expect(page).toMatch(column);
  }
  expect(textOfHtml(page)).toContain("pruned before it was read: the node's oldest version is 12500");
});

test("what was read is told from what was inferred, and versions of backfill's plan from those that were", () => {
  expect(cellsOf(addresses[1] as string)).toEqual([
    "read 10,000: read",
    "inferred 11,000 to 13,000: inferred from both sides",
    "read 14,000: read",
    "inferred 20,000 to 30,000: inferred from both sides",
    "read 40,000 to 41,000: read",
  ]);
  expect(cellsOf(addresses[0] as string)[1]).toBe("never 11,000 to 13,000: never asked");
  expect(page.match(/<rect class="planned"/g)).toHaveLength(2);
  expect(page).toContain('<span class="key planned">planned by backfill</span>');
});

test("the horizon runs through the map, and each run says what it took", () => {
  expect(page).toMatch(/<line class="edge"[^>]*><title>horizon: versions below 12,500</);
  const [, row] = /<td>(?:<span class="short-cell">)?2026-01-05 00:07(?:<\/span>)?<\/td>([\s\S]*?)<\/tr>/.exec(page) ?? [];
  expect(textOfHtml((row ?? "").replaceAll("</td>", " ")).split(/ +/)).toEqual(asWords`sync done 0 ms 10 0 9.0 kB 3 0 41,000 ${""}`);
});

test("one account can be asked for, one that is not known too; accounts are counted", async () => {
  const { text: one } = await served.get(`/coverage?account=${addresses[1]}`);
  expect(textOfHtml(one)).toContain("1 account,");
  expect(one).not.toContain(addresses[2]);
  const { text: none } = await served.get("/coverage?account=0xabc");
  expect(none).toContain("<title>0xabc: not asked about at the newest version</title>");
  expect(textOfHtml(page)).toContain("4 accounts, 9 versions");
});
