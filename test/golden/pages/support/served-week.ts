import { afterAll } from "vitest";
import { exchangeAddress } from "../../../../sim/sample/exchange.ts";
import { badgesAddress, createSampleLedger } from "../../../../sim/sample/index.ts";
import { type ServedPages, servePages } from "../../../capabilities/explorer/support/served-pages.ts";
import { copyKeptArchive, ManualClock, temporaryDirectory } from "../../../support/index.ts";
import { copySampleArchive, NOW_MS } from "../../support/sample-archive.ts";

const pool = `${exchangeAddress}/pool`;
const amounts = `/sql?sql=${encodeURIComponent("SELECT * FROM (SELECT 'up' AS name, 40 AS amount UNION ALL SELECT 'down', -20 UNION ALL SELECT 'none', 0 UNION ALL SELECT 'top', 80)")}`;

/** A page of each kind, by a name for its golden file, as a person comes to it. */
export const weekPages = {
  home: "/",
  changes: "/changes",
  night: "/changes?night=2808000",
  coverage: "/coverage",
  gaps: "/gaps",
  going: "/going",
  account: `/account/${exchangeAddress}`,
  "account/dependencies": `/account/${exchangeAddress}?tab=dependencies`,
  "account/history": `/account/${exchangeAddress}?tab=history`,
  trader: `/account/${createSampleLedger().trader}?at=2592000`,
  module: `/module/${pool}`,
  "module-old": `/module/${pool}?at=2592000&all=1`,
  badge: `/module/${badgesAddress}/badge`,
  function: `/module/${pool}/quote`,
  struct: `/module/${pool}/Pool`,
  error: `/error/${pool}/65539`,
  diff: `/diff/${pool}?from=2592000&to=3456004&code=1`,
  search: "/search?q=pool",
  "sql-table": amounts,
  "sql-bars": `${amounts}&chart=bar`,
  "sql-line": `${amounts}&chart=line`,
} as const;

const search = (words: string): string => `/search?q=${encodeURIComponent(words)}`;

/** More pages of these kinds, whose text alone is held: sources, items in use and gone, days, searches, what is not there or pasted. */
export const morePages = {
  "items/source": `/module/${pool}?show=source`,
  "items/source-old": `/module/${pool}?at=2592000&all=1&show=source`,
  "items/function-called": "/module/0x1/coin/transfer",
  "items/function-gone": `/module/${pool}/spot_price?at=2592000`,
  "items/struct-used": "/module/0x1/coin/Coin",
  "items/error-without-raisers": "/error/0x1/coin/327681",
  "items/error-without-words": `/error/${pool}/77`,
  "missing/error-of-no-code": "/error/0x1/coin/none",
  "items/coverage-of-one": `/coverage?account=${exchangeAddress}`,
  "missing/coverage-of-none": "/coverage?account=0xabc",
  "items/changes-of-the-oldest": "/changes?night=2592000",
  "missing/changes-of-no-night": "/changes?night=2592001",
  // A day names the newest snapshot that the ledger had made by its end.
  "items/module-on-the-first-day": `/module/${pool}?at=2026-01-04`,
  "items/module-in-another-century": `/module/${pool}?at=2099-01-01`,
  "missing/module-before-all-days": `/module/${pool}?at=1999-01-01`,
  "missing/module-on-no-day": `/module/${pool}?at=2026-02-31`,
  "items/diff-of-days": `/diff/${pool}?from=2026-01-04&to=2026-01-09`,
  "missing/diff-of-a-word": `/diff/${pool}?from=five`,
  "missing/module-not-there": "/module/0x1/nothing",
  "missing/module-before-all": `/module/${pool}?at=5`,
  "missing/module-file-of-no-kind": `/module/${pool}/other.txt`,
  "missing/function-not-there": `/module/${pool}/spot_price`,
  "missing/account-not-held": "/account/0xdddd",
  "missing/account-of-no-digits": "/account/zzz",
  "missing/search-an-account-not-held": search("0x99"),
  "items/search-an-abort": search("Move abort in 0x1::coin: EFROZEN(0x50001): The store is frozen"),
  "items/search-by-types": search("(&signer, address, u64)"),
  "items/search-a-type": search("Coin"),
  "items/search-with-a-slip": search("transfr"),
  // What a text names by itself.
  "pasted/code": search("65541"),
  "pasted/code-in-hex": search("0x60002"),
  "pasted/code-in-a-module": search(`abort 0x60002 in ${exchangeAddress}::pool`),
  "pasted/code-behind-a-module": search(`${exchangeAddress}::pool 393218`),
  "pasted/code-in-a-module-not-held": search("Move abort in 0xabc::none: 0x60002"),
  "pasted/version-between": search("2592001"),
  "pasted/version-with-separators": search("3,456,004"),
  "pasted/version-beyond": search("9456004"),
  "pasted/day": search("2026-01-05"),
  "pasted/day-before-all": search("1999-01-01"),
  "pasted/sha256": search("0xFA9A601F2A3FB4A145F38D1243F46A75D2B0309A1F9D2A8BB64368FE3C7003C6"),
  "pasted/sha256-begun": search("fa9a601f"),
  "pasted/sha256-of-nothing": search("fa9a601f2a0"),
  "pasted/address-without-0x": search(exchangeAddress.slice(2)),
  "pasted/address-cut": search(`${exchangeAddress.slice(0, 8)}…`),
  "pasted/address-cut-by-dots": search(`${exchangeAddress.slice(0, 8)}...`),
  "pasted/address-in-full": search(`0x${"1".padStart(64, "0")}`),
  "pasted/label": search("frame"),
  "pasted/no-label": search("%%%"),
} as const;

/** Pages of `wide.db` with lists that are cut. */
export const widePages = {
  "wide/changes": "/changes",
  "wide/feed": "/changes.atom",
  "wide/coverage": "/coverage",
  "wide/coverage-more": "/coverage?skip=60",
  "wide/history": "/account/0xbeef?tab=history",
  "wide/diff": "/diff/0xcafe/core?from=100&to=200",
  "wide/item": "/module/0xbeef/m02/run01",
  "wide/search": "/search?q=run01",
} as const;

/** Pages of `many.db` with the others. */
export const manyPages = {
  "wide/many": "/",
  "wide/many-feed": "/changes.atom",
  "wide/many-functions": "/module/0xcafe/large",
} as const;

/** An archive of two snapshots, served with its pages until the end of the file. */
export async function serveSealed(name: string, make: (path: string) => Promise<void>): Promise<ServedPages> {
  const kept = new AsyncDisposableStack();
  afterAll(() => kept.disposeAsync());
  const path = kept.use(temporaryDirectory()).file(name);
  await copyKeptArchive(path, make);
  return kept.use(await servePages(path, { clock: new ManualClock({ startMs: NOW_MS }) }));
}

/** The week of the golden archive, served with its pages until the end of the file, an hour after its last night. */
export async function serveWeek(): Promise<ServedPages> {
  const kept = new AsyncDisposableStack();
  afterAll(() => kept.disposeAsync());
  const place = kept.use(temporaryDirectory());
  const { random } = Math;
  // A pause before a request is repeated has a random part.
  Math.random = () => 0.5;
  await copySampleArchive(place.path).finally(() => {
    Math.random = random;
  });
  return kept.use(await servePages(place.file("night.db"), { clock: new ManualClock({ startMs: NOW_MS }) }));
}
