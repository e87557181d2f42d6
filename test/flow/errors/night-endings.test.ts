import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import Database from "better-sqlite3";
import { afterAll, beforeAll, beforeEach, describe, expect } from "vitest";
import { createSampleLedger, type Fault, faults, type PlannedFault, type SimNode, startSimNode } from "../../../sim/index.ts";
import { sized } from "../../run-size.ts";
import { asWords, type CliResult, changeFile, ended, listening, ManualClock, runCli, signalSender, test } from "../../support/index.ts";
import { leaveFewViews } from "../../support/store/few-views.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** What a night meets: what the node does wrong, and what else. */
type Given = Partial<PlannedFault> & {
  /** The address of the node, where it is not the simulated one. */
  readonly rpc?: string;
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Done before the night, with the database's path. */
  readonly before?: (db: string, folder: string) => void;
  /** Whether a night was before, which sealed the ledger as it was then. */
  readonly isSecond?: boolean;
  /** Whether the night before was killed in the midst of its accounts, seconds ago by the clock of the database. */
  readonly isKilled?: boolean;
  readonly isLate?: boolean;
  /** Days after the night before, which was on a Tuesday. */
  readonly days?: number;
  /** At which request SIGTERM comes. */
  readonly signalAt?: number;
  /** Whether time passes only while the night waits; else each of its waits is over at once, that for the end of its time too. */
  readonly waits?: boolean;
  /** When another program takes the database's lock, and for how long it holds it, in milliseconds. */
  readonly lock?: {
    readonly from: "the start" | "the first listing";
    readonly ms: number;
    readonly keepsReadersOut?: true;
    /** The side file of the right that another run of movedex has, in place of the database. */
    readonly right?: ".lock" | ".backup.lock";
  };
  /** How much time passes, in milliseconds, once the first listing is asked for. */
  readonly passesMs?: number;
  /** What stderr says once. */
  readonly stderr?: RegExp;
  /** The pings of the night; by default those of its exit code. */
  readonly pings?: readonly string[];
};

/** A way in which a night ends: the exit code, its line, and what it met. */
type Ending = readonly [way: string, code: number, line: RegExp, given?: Given];

/** A second night, a day after the first. */
const late = { isSecond: true, isLate: true };

/** A second night of a node that answered under its name before; the simulated one has another address each night. */
const known = { ...late, words: ["--node-name", "ours"] };
const NOWHERE = "http://nowhere.invalid/v1";

/** A node that has pruned what the night before read. */
const pruned: Fault = { name: "pruned", view: (view) => ({ ...view, info: { ...view.info, oldest: view.info.head } }) };

/** A node that prunes what it has just named its newest version. */
const prunesTheHead: Fault = {
  name: "prunes the head",
  view: (view) => ({ ...view, info: { ...view.info, oldest: view.info.head + 1n } }),
};

/** A gateway that lets no cursor through, so that a first page looks like the whole listing. */
const hidesCursors: Fault = {
  name: "no cursors",
  answer: (honest) => {
    const answer = honest();
    return { ...answer, headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !name.endsWith("-cursor"))) };
  },
};

const listings = ({ target }: { readonly target: string }): boolean => target.includes("/modules");
const span = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => i + from);
const onwards = span(9, 5000);
const doctor = "\\. `movedex doctor` tells more";
const nothingNew = new RegExp(
  `^night: nothing new after [^:]*: the node's newest version, \\d+, is .* old and leaves nothing newer .*${doctor}$`,
);
const notSealed = (cause: string): RegExp => new RegExp(`^night: not sealed after [^:]*: ${cause}`);
/** Not sealed, and `doctor` is named. */
const failed = (cause: string): RegExp => notSealed(`${cause}${doctor}$`);
const sealed = (rest: string): RegExp => new RegExp(`^night: sealed ledger version \\d+ in ${rest}`);
const noKey = ".*401: Unauthorized \\(no key was sent; .*\\)";
const sigterm = "stopped by SIGTERM.*; run again to go on";
const unchecked = ["--slices", "0"];
const gap: PlannedFault = { fault: faults.storageFailure("noIndexer"), match: ({ target }) => /\/accounts\/0x4\/modules/.test(target) };
const serverBackup = ["--db", "postgres://nobody@127.0.0.1:9/x", "--backup", "backups/"];

/** A balance of two nights: of a healthy node, of nodes that fail in every way, of disks and locks, of what people stop. */
const endings: readonly Ending[] = [
  ["a first night", 0, /^night: sealed ledger version \d+ in [^:]*: the first snapshot, \d+ accounts, \d+ modules, no gaps, head .* old$/],
  ["a second night", 0, /^night: sealed ledger version \d+ in [^:]*: \d+ accounts, 3 modules changed, no gaps, head .* old$/, { ...late }],
  ["the first night of another week", 0, sealed("[^:]*: .* old\\. No night makes a backup \\(see `--backup`\\)$"), { ...late, days: 7 }],
  ["no place for backups", 0, sealed("[^:]*: .* old\\. No night makes a backup: `--keep` needs `--backup`$"), { words: ["--keep", "7"] }],
  ["401 to every request in another week", 1, failed(noKey), { isSecond: true, days: 7, fault: faults.unauthorized() }],
  ["401 to every request", 1, failed(noKey), { fault: faults.unauthorized() }],
  ["a redirect", 1, failed(`.*redirects.*`), { fault: faults.redirect("http://127.0.0.1:9/") }],
  ["a gateway's page", 1, failed(`.*502.*`), { fault: faults.gatewayPage(502) }],
  ["no server at the port", 1, failed(`.*ECONNREFUSED.*`), { rpc: "http://127.0.0.1:9/v1" }],
  [
    "a node that begins to answer a minute late",
    0,
    /^night: sealed ledger version \d+ in /,
    { fault: faults.resetBeforeHeaders(), at: span(1, 11), stderr: /waiting for up to 2 min until it/g },
  ],
  [
    "a proxy that has no node to ask for a minute",
    0,
    /^night: sealed ledger version \d+ in /,
    { ...known, fault: faults.gatewayPage(404), at: span(1, 8), stderr: /waiting for up to 2 min until it/g },
  ],
  ["a proxy that loses its node for a minute", 0, sealed(".*, no gaps, "), { ...late, fault: faults.gatewayPage(404), at: span(12, 8) }],
  ["a path without a node", 1, failed(`.*no such path.*`), { fault: faults.gatewayPage(404) }],
  ["a port without TLS, asked by https", 1, failed(`.*TLS.*`), { rpc: "https" }],
  ["no such host", 1, failed(`.*been down for .*resolved.*`), { ...known, rpc: NOWHERE }],
  ["no such host on the first night", 1, failed(`(?!.*been down).*resolved.*`), { rpc: NOWHERE }],
  ["a host that is misspelt from now on", 1, failed(`(?!.*been down).*resolved.*`), { isSecond: true, rpc: NOWHERE }],
  ["a path that is misspelt from now on", 1, failed(`(?!.*been down).*no such path.*`), { isSecond: true, rpc: "/v2" }],
  ["a node that is starting", 1, failed(`.*busy or still starting.*`), { fault: faults.unavailable("node_not_bootstrapped") }],
  ["another chain", 4, notSealed(".*chain 9.*$"), { isSecond: true, fault: faults.wrongChain(9) }],
  [
    "a node that prunes the version before the first account",
    3,
    /^night: not sealed after [^:]*: the node pruned ledger version \d+ before it answered for one account\. Lost for good: 6 answers .* says why$/,
    { ...late, fault: prunesTheHead, match: ({ target }) => target.includes("/accounts/") },
  ],
  ["bad headers", 1, notSealed(`.*${doctor}$`), { fault: faults.malformedHeader("ledger-version", "x") }],
  [
    "a node whose index is missing",
    1,
    notSealed(
      ".* lists no module at ledger version \\d+, not even of 0x1: its index is missing or not built\\. Repair it, or use another node$",
    ),
    { ...late, fault: faults.emptyListing() },
  ],
  [
    "a node whose index is half built",
    0,
    /^night: sealed ledger version \d+ in [^:]*: 3 accounts, 0 modules changed, 3 gaps, head .*\. The node lists no module of 3 accounts that had some: its index may be missing or not built\. `movedex gaps` says why$/,
    { ...late, fault: faults.emptyListing(), match: ({ target }) => !target.includes("/accounts/0x1/"), words: ["--trace-requests", "0"] },
  ],
  [
    "a gateway that hides the rest of each listing",
    0,
    /^night: sealed ledger version \d+ in [^:]*: 6 accounts, 10 modules changed, no gaps, 8 modules gone, head .* old$/,
    { ...late, fault: hidesCursors, words: ["--page-size", "1"] },
  ],
  [
    "every listing twice",
    0,
    /^night: sealed ledger version \d+ without 4 of 6 accounts in .*, 4 gaps, head .*\. `movedex gaps` says why$/,
    { fault: faults.repeatedModule(), match: listings, words: ["--trace-requests", "0"] },
  ],
  [
    "every listing twice, until the requests are spent",
    1,
    failed(`.*, 1 of 6 accounts read, the node failed in \\d of 10 attempts, at last: .* more than once; .*`),
    { fault: faults.repeatedModule(), match: listings, words: ["--max-requests", "10", "--trace-requests", "0"] },
  ],
  ["every listing cut", 1, failed(`.*broke before the answer was whole.*`), { fault: faults.cutBody(), match: listings }],
  [
    "time that is over before the first answer",
    1,
    notSealed(`the time allowed was over before the node had answered.*movedex doctor.*`),
    { fault: faults.silence(), words: ["--max-duration", "1s"] },
  ],
  [
    "503 before answers that come too slowly",
    1,
    notSealed(`the time allowed .* what a run asks first \\(3 failed attempts, at last: the node is too busy.*movedex doctor.*`),
    { fault: faults.unavailable("overloaded"), at: [1, 2, 3], words: ["--max-duration", "5s"], waits: true },
  ],
  ["a gateway's 403 in the midst, as others send 429", 0, sealed(""), { fault: faults.gatewayPage(403), at: [9, 12] }],
  [
    "redirects from the middle on, until the time is over",
    1,
    failed(`ledger version \\d+ is unfinished, .*the node failed .*redirects.*`),
    { fault: faults.redirect("http://127.0.0.1:9/"), at: onwards, words: ["--max-duration", "3s"], waits: true },
  ],
  [
    "two faults: 401, and a damaged database",
    6,
    failed(`${noKey}\\. Verify found damage: \\d+ findings?`),
    {
      isSecond: true,
      fault: faults.unauthorized(),
      before: (db) => changeFile(db, "UPDATE _bytecodes SET size = size + 1"),
      words: ["--slices", "1"],
    },
  ],
  [
    "two faults: a gap, and a place for backups that is a file",
    1,
    /^night: sealed ledger version .*, 1 gap, .*\. Backup: .*backups.*\. `movedex gaps` says why$/,
    { ...gap, before: (_, folder) => writeFileSync(`${folder}/backups`, ""), words: ["--trace-requests", "0", "--backup", "backups/"] },
  ],
  [
    "503 from the middle on, until the time is over",
    1,
    failed(
      `ledger version \\d+ is unfinished, \\d of \\d+ accounts read, the node failed in \\d+ of \\d+ attempts, at last: the node is too busy.*`,
    ),
    { fault: faults.unavailable("overloaded"), at: onwards, words: ["--max-duration", "3s"], waits: true },
  ],
  [
    "a pause of a busy node in the midst of answers, which takes a third of the time",
    1,
    failed(`.*the node failed in 1 of \\d+ attempts, which took \\d s, at last: the node is too busy.*`),
    { fault: faults.unavailable("overloaded", "3"), at: 3, words: ["--max-duration", "8s"], waits: true, passesMs: 6000 },
  ],
  [
    "a 429 in the midst of answers, which is obeyed for a third of the time",
    0,
    notSealed("ledger version \\d+ is unfinished, \\d of \\d+ accounts read, the budget of the night is spent, and the next one goes on$"),
    { fault: faults.tooManyRequests("3"), at: 3, words: ["--max-duration", "8s"], waits: true, passesMs: 6000 },
  ],
  [
    "silence, until the time is over",
    1,
    failed(`.*the node failed .*no answer within \\d+ s`),
    { fault: faults.silence(), match: listings, words: ["--max-duration", "4s"], waits: true, passesMs: 4000 },
  ],
  [
    "four of five requests refused, until the requests are spent",
    1,
    failed(`ledger version \\d+ is unfinished, .*the node failed in \\d+ of \\d+ attempts, at last: the node is too busy.*`),
    {
      fault: faults.unavailable("overloaded"),
      at: onwards.filter((n) => n % 5 !== 0),
      words: ["--max-requests", "25", "--max-duration", "8h", "--trace-requests", "0"],
      waits: true,
    },
  ],
  // What the node prunes tonight is worth more than a file that can be written tomorrow.
  ...["metrics-file", "summary-file"].map(
    (option): Ending => [
      `no folder for its ${option}`,
      1,
      /^night: sealed ledger version .* old\. Could not write the \w+ file `.*nowhere\/n`: no such file or directory .*\. Check that [^.]*$/,
      { words: [`--${option}`, "nowhere/n"], pings: ["/n/start", "/n/fail"] },
    ],
  ),
  ["a ping URL that is none", 1, sealed(".* The ping URL must begin with http:// or https://$"), { words: ["--ping-url", "x"], pings: [] }],
  [
    "no folder for its report",
    1,
    /^night: sealed ledger version .* old\. Report: could not write the report `.*nowhere\/changes\.md`: no such file or directory [^;]*$/,
    { words: ["--report", "nowhere/changes.md"] },
  ],
  [
    "no folder for its backup",
    1,
    /^night: sealed ledger version .* old\. Backup: could not .*`.*nowhere\/night\.db`: there is no such file, or its directory .*$/,
    { words: ["--backup", "nowhere/night.db"] },
  ],
  [
    "requests that are spent on answers",
    0,
    notSealed("ledger version \\d+ is unfinished, \\d of \\d+ accounts read, the budget of the night is spent, and the next one goes on$"),
    { words: ["--max-requests", "9"], waits: true },
  ],
  [
    "one account without an answer",
    0,
    /^night: sealed ledger version \d+ in [^:]*: the first snapshot, .*, 1 gap, head .*\. `movedex gaps` says why$/,
    { ...gap, words: ["--trace-requests", "0"] },
  ],
  [
    "a gap, with a settings file, by which gaps are counted",
    2,
    /\. Lost for good: 1 answer that the node pruned or never gave\. `movedex gaps --config \S+\/night\.toml` says why$/,
    {
      ...gap,
      before: (_, folder) => writeFileSync(`${folder}/night.toml`, "[sync]\nretry-gaps = 1\n"),
      words: ["--trace-requests", "0", "--config", "night.toml"],
    },
  ],
  [
    "a node that stands still, and a gap of the night before",
    7,
    nothingNew,
    { isSecond: true, before: (db) => changeFile(db, "UPDATE _all_snapshots SET status = 'sealed_with_gaps', gaps = 1"), words: unchecked },
  ],
  [
    "a node that stands still, by a clock that was set back",
    7,
    /^night: nothing new after [^:]*: the node's newest version, \d+, is 6\d d \d+ h ahead of this machine's clock and leaves nothing newer /,
    { isSecond: true, days: -70, words: unchecked },
  ],
  [
    "a node that stands still since a night that did not end",
    0,
    /^night: sealed ledger version \d+ in [^:]*: the first snapshot, 6 accounts, .*, head .* old\. The node stands still: [^.]*$/,
    { isKilled: true, days: 1, words: ["--backup", "backups/"] },
  ],
  [
    "a node that pruned what a killed night was at",
    3,
    /^night: sealed ledger version \d+ in .*, no gaps, .*\. Lost for good in other snapshots: 3 answers that .*\. `movedex gaps` says why$/,
    { isKilled: true, isLate: true, fault: pruned, words: ["--trace-requests", "0"] },
  ],
  [
    "a node that pruned what a killed night had not begun to read",
    3,
    /^night: sealed ledger version .*, no gaps, .*\. Lost for good in other snapshots: 6 answers that the node pruned or never gave\./,
    {
      isKilled: true,
      isLate: true,
      fault: pruned,
      before: (db) =>
        changeFile(
          db,
          "UPDATE _visits SET state = 'planned', listing_id = NULL, sequence_number = NULL, authentication_key = NULL, resource = NULL, claims = NULL, claimed_until = NULL",
        ),
      words: ["--trace-requests", "0"],
    },
  ],
  ["an address of pages that is none", 64, /^night: not started: --base-url is not a valid address/, { words: ["--base-url", "foo"] }],
  [
    "a first answer from a node behind what a killed night was at",
    0,
    /^night: sealed ledger version \d+ in [^:]*: the first snapshot, 6 accounts, .*, no gaps, head .*$/,
    { isKilled: true, fault: faults.nodeBehind(10n), at: [1], stderr: /resuming the snapshot of/g },
  ],
  [
    "a node that went back behind what a killed night was at",
    7,
    failed(`the node's newest version is \\d+, below ledger version \\d+, whose snapshot is unfinished\\. The snapshot .*`),
    { isKilled: true, fault: faults.nodeBehind(10n), words: unchecked, stderr: /waiting for up to 2 min/g },
  ],
  ["a node that went back", 7, nothingNew, { isSecond: true, fault: faults.nodeBehind(100_000n) }],
  ["SIGTERM before the first answer", 143, notSealed(`${sigterm}$`), { signalAt: 1, fault: faults.silence(), waits: true }],
  [
    "SIGTERM before a node that falls silent has answered for an account",
    143,
    /^night: not sealed after \d{1,3} ms: ledger version \d+ is unfinished, 0 of 6 accounts read, stopped by SIGTERM$/,
    { signalAt: 4, fault: faults.silence(), at: onwards.map((n) => n - 6), waits: true },
  ],
  ["SIGTERM at the last account", 143, sealed(".*\\. Stopped by SIGTERM before the other steps$"), { signalAt: 14, waits: true }],
  [
    "SIGTERM while accounts are tried again",
    143,
    /^night: not sealed after (?:\d+ ms|[1-8] s): ledger version \d+ is unfinished, \d of \d+ accounts read, stopped by SIGTERM$/,
    { signalAt: 9, fault: faults.unavailable("overloaded"), at: onwards, waits: true },
  ],
  [
    "SIGTERM at the first request of trace, once the night is sealed",
    143,
    sealed(`.*\\. Trace: ${sigterm}$`),
    { ...late, signalAt: 18, words: unchecked, stderr: /^movedex: night: sealed /gm },
  ],
  [
    "a damaged database",
    6,
    /^night: sealed ledger version \d+ in .*\. Verify found damage: \d+ findings?.*\. `movedex verify` names it$/,
    { ...late, before: (db) => changeFile(db, "UPDATE _bytecodes SET size = size + 1"), words: ["--slices", "1"] },
  ],
  [
    "a table of somebody's that works something out, and a backup",
    6,
    /^night: sealed ledger version \d+ in .*\. Backup: somebody has added to .* \(`DROP TABLE`\), or keep it in a database of its own, then try again$/,
    { ...late, before: (db) => changeFile(db, "CREATE TABLE prices (a, b AS (a * 2))"), words: ["--backup", "theirs.backup"] },
  ],
  [
    "a file that is no database",
    1,
    /^night: not sealed after [^:]*: could not open the database .*: the file is not an SQLite database[^:]*$/,
    { before: (db) => writeFileSync(db, "a picture"), stderr: /not an SQLite database/g },
  ],
  ["a lock that another night holds", 5, /^night: not started: another run .* the middle of the night/, { before: holdNightOf, pings: [] }],
  [
    "another movedex that writes, as import does",
    0,
    /^night: sealed ledger version \d+ in 1\d s: /,
    { ...late, lock: { from: "the start", ms: 15_000, right: ".lock" }, stderr: /another run of movedex is working on .*this run waits/g },
  ],
  [
    "a backup by another movedex",
    0,
    /^night: sealed ledger version [^.]*$/,
    {
      words: ["--backup", "backups/"],
      lock: { from: "the first listing", ms: 15_000, right: ".backup.lock" },
      stderr: /another run of movedex is making a backup of .*this run waits/g,
    },
  ],
  [
    "requests that hardly suffice",
    0,
    /^night: sealed ledger version \d+ /,
    { ...late, words: ["--max-requests", "7"], stderr: /--max-requests 7 may seal no snapshot: .*\. Give at least 8/g },
  ],
  [
    "a file of metrics that is the database",
    64,
    /^night: not started: the metrics file `.*night\.db` is a database, which a text in its place would destroy\. Name another file/,
    { isSecond: true, words: ["--metrics-file", "THE-DATABASE"] },
  ],
  [
    "a backup in the place of the database",
    64,
    /^night: not started: `.*night\.db` is the database's own file, and was left as it is\. Name another file/,
    { isSecond: true, words: ["--backup", "THE-DATABASE"] },
  ],
  ["a password without a name", 64, /^night: not started: MOVEDEX_BASIC_AUTH must/, { env: { MOVEDEX_BASIC_AUTH: "x" } }],
  ["a key beside a password", 64, /^night: not started: .* both set/, { env: { MOVEDEX_BASIC_AUTH: "x:y", MOVEDEX_API_KEY: "z" } }],
  ["an option that there is not", 64, /^night: not started: unknown option '--rat'/, { words: ["--rat", "1"] }],
  ["a word too much", 64, /^night: not started: too many arguments .*: now\.$/, { words: ["now"] }],
  ["an option without its value", 64, /^night: not started: option '--lag <n>' argument missing$/, { words: ["--lag"] }],
  [
    "a server's database and a backup",
    64,
    /^night: not started: movedex copies SQLite files only: leave `--backup` out of a night\. .*`pg_dump .*--file='\S*backups\/movedex\.dump' /,
    { words: serverBackup },
  ],
];

/** SQLite itself waits for seconds of the machine: these are in the long run, the others in the short one. */
const ofLocks: readonly Ending[] = [
  [
    "another program's lock, while it reads",
    0,
    /^night: sealed ledger version \d+ in 1\d s: /,
    { ...late, lock: { from: "the first listing", ms: 15_000 }, stderr: /another program has locked the database/g },
  ],
  [
    "another program's lock, at its start",
    0,
    /^night: sealed ledger version \d+ in 1\d s: /,
    { ...late, lock: { from: "the start", ms: 15_000 }, stderr: /another program has locked the database/g },
  ],
  [
    "another program's lock that keeps readers out too, longer than it may take",
    5,
    /^night: not sealed: could not open the database .*: another process is writing to it/,
    {
      isSecond: true,
      words: ["--max-duration", "10s"],
      lock: { from: "the start", ms: 60_000, keepsReadersOut: true },
      stderr: /another program has locked the database/g,
    },
  ],
  [
    "another program's lock, longer than it may take",
    5,
    notSealed("could not read or write the database .*: another process is writing to it"),
    {
      ...late,
      words: ["--max-duration", "10s", "--trace-requests", "0", "--slices", "0"],
      waits: true,
      lock: { from: "the first listing", ms: 60_000 },
      stderr: /another program has locked the database/g,
    },
  ],
];

const held: { locks: Database.Database[] } = { locks: [] };
function holdNightOf(db: string): void {
  const holder = new Database(`${db}.night.lock`);
  holder.exec("BEGIN IMMEDIATE");
  held.locks.push(holder);
}

/** Locks the database for a time by the clock of the night. */
function lockWhile(clock: ManualClock, db: string, lock: NonNullable<Given["lock"]>): void {
  const other = new Database(`${db}${lock.right ?? ""}`);
  held.locks.push(other);
  if (lock.keepsReadersOut) other.pragma("locking_mode = EXCLUSIVE");
  other.exec("BEGIN IMMEDIATE");
  const until = clock.now() + lock.ms;
  clock.onSleep = () => {
    if (other.inTransaction && clock.now() >= until) other.exec("ROLLBACK");
  };
}

describe("how a night ends that meets", async () => {
  const kept = new AsyncDisposableStack();
  afterAll(() => kept.disposeAsync());
  const place = kept.use(temporaryDirectory());
  const early = createSampleLedger();
  const dayLater = createSampleLedger();
  dayLater.passDay();
  let pinged: string[] = [];
  const watcher = createServer((request, response) => {
    pinged.push(request.url ?? "");
    request.resume();
    response.end("OK");
  });
  const { origin } = kept.use(await listening(watcher));
  beforeAll(async () => {
    await using node = await startSimNode({ ledger: early.ledger });
    const clock = new ManualClock({ startMs: Date.parse("2026-01-06T02:00:00Z"), skipSleeps: true });
    for (const db of ["empty.db", "held.db"])
      await ended(runCli(["targets", "add", ...early.codeAccounts, "0x4", early.trader, "--db", place.file(db)], { clock }));
    const night = (db: string, ...more: string[]) =>
      ended(runCli(["night", "--rpc", node.url, "--rate", "0", "--db", place.file(db), ...more], { clock }));
    for (const db of ["empty.db", "held.db"]) leaveFewViews(place.file(db));
    await night("held.db", "--node-name", "ours");
    copyFileSync(place.file("empty.db"), place.file("killed.db"));
    await night("killed.db", "--max-requests", "9");
    changeFile(place.file("killed.db"), "UPDATE _visits SET claims = 1, claimed_until = 9000000000000 WHERE state = 'planned'");
  });
  beforeEach(() => {
    pinged = [];
  });

  test("a version that is held already", async ({ place: own }) => {
    await using node = await startSimNode({ ledger: early.ledger });
    copyFileSync(place.file("held.db"), own.file("night.db"));
    // A minute after the node's newest version, so that it does not stand still.
    const clock = new ManualClock({ startMs: Number(early.ledger.info().timestampUsec / 1000n) + 60_000, skipSleeps: true });
    const { stdout } = await ended(runCli(["night", "--rpc", node.url, "--rate", "0", "--db", own.file("night.db")], { clock }));
    expect(stdout).toMatch(/^night: nothing to read after [^:]*: ledger version \d+ is held already(?:\. No night makes a backup.*)?\n$/);
  });

  test.for(sized(endings, ofLocks))("%s", async ([, code, line, given = {}]) => {
    const { fault, isSecond, isLate, before, words = [], signalAt, passesMs, lock } = given;
    const planned = fault === undefined ? [] : [{ ...given, fault }];
    using own = temporaryDirectory();
    const [db, metrics] = [own.file("night.db"), own.file("night.prom")];
    mkdirSync(own.path, { recursive: true });
    copyFileSync(place.file(isSecond === true ? "held.db" : given.isKilled === true ? "killed.db" : "empty.db"), db);
    before?.(db, own.path);
    const { signals, send } = signalSender();
    const startMs = Date.parse("2026-01-06T03:00:00Z") + (given.days ?? 0) * 86_400_000;
    const clock = new ManualClock({ startMs, skipSleeps: given.waits !== true });
    const atOnce: PlannedFault[] =
      signalAt === undefined ? [] : [{ fault: faults.meanwhile("SIGTERM", () => send("SIGTERM")), at: signalAt }];
    if (lock?.from === "the start") lockWhile(clock, db, lock);
    if (lock?.from === "the first listing")
      atOnce.push({ fault: faults.meanwhile("lock", () => lockWhile(clock, db, lock)), match: listings, at: 1 });
    if (passesMs !== undefined)
      atOnce.push({ fault: faults.meanwhile("time", () => void clock.advance(passesMs)), match: listings, at: 1 });
    await using node: SimNode = await startSimNode({
      ledger: (isLate ? dayLater : early).ledger,
      faults: faults.planFaults([...atOnce, ...planned]),
    });
    const places = words.map((word) =>
      /^(?:backups|nowhere)\/|\.toml$/.test(word) ? own.file(word) : word === "THE-DATABASE" ? db : word,
    );
    const rpc = given.rpc === "https" ? node.url.replace("http:", "https:") : new URL(given.rpc ?? "", node.url).href;
    const argv = asWords`night --rpc ${rpc} --rate 0 --concurrency 2 --db ${db} --ping-url ${origin}/n --metrics-file ${metrics} ${places}`;
    const running = runCli(argv, { clock, signals, env: given.env ?? {} });
    const result = await (given.waits === true ? driven(clock, running) : running);
    for (const lock of held.locks.splice(0)) lock.close();
    expect(result.code, result.stderr + result.stdout).toBe(code);
    judge(code, result);
    expect(result.stdout.trimEnd()).toMatch(line);
    if (given.stderr !== undefined) expect(result.stderr.match(given.stderr)).toHaveLength(1);
    expect(pinged).toEqual(given.pings ?? ["/n/start", code === 0 ? "/n" : "/n/fail"]);
    if (given.pings === undefined && code !== 64) {
      const told = readFileSync(metrics, "utf8");
      expect(told).toMatch(new RegExp(`^movedex_run_exit_code\\{.*command="night"\\} ${code}$`, "m"));
      // Moved by a seal alone.
      const isSealed = /^night: sealed/.test(result.stdout);
      const moved = /^movedex_last_good_sync_time_seconds\{.*\} (\d+)/m.exec(told)?.[1];
      if (isSealed) expect(Number(moved) * 1000).toBeGreaterThanOrEqual(startMs);
      else if (isSecond !== true) expect(moved).toBeUndefined();
    }
  });
});

/** Lets time pass while a run waits for something beside the end of its time, however busy the machine is. */
async function driven<T>(clock: ManualClock, running: Promise<T>): Promise<T> {
  let isOver = false;
  void running.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (clock.waiting >= 2) await clock.advance(500);
  }
  return running;
}

/** What holds of every end: one line of words, none of them a name of the source; the log has its reason, and no database never made. */
function judge(code: number, { stdout, stderr }: CliResult): void {
  expect(stdout.split("\n").length).toBeLessThanOrEqual(2);
  expect(stdout).not.toMatch(/wrongChain|\bcorrupt\b|\busage\b|\bstale\b|undefined|NaN|null/);
  if (code !== 0) expect(stderr).toMatch(/^movedex: /m);
  expect(stderr).not.toContain("there is no database");
}
