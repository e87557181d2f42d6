import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterAll, beforeEach, describe, expect } from "vitest";
import { createSampleLedger, faults, startSimNode } from "../../../sim/index.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { type CliResult, ended, listening, ManualClock, quickArchive, runCli, signalSender, test } from "../../support/index.ts";

describe("pings of a night", async () => {
  const kept = new AsyncDisposableStack();
  afterAll(() => kept.disposeAsync());
  const node = kept.use(await startSimNode({ ledger: createSampleLedger().ledger }));
  let pinged: string[];
  /** What each ping says. */
  let told: string[];
  const watcher = createServer(async (request, response) => {
    pinged.push(request.url ?? "");
    told.push((await Array.fromAsync(request)).join(""));
    response.end("OK");
  });
  const { origin } = kept.use(await listening(watcher));
  beforeEach(() => {
    pinged = [];
    told = [];
  });

  type Place = { readonly file: (name: string) => string };
  const gone = 'rpc = "http://127.0.0.1:9/v1"\n';
  const here = `rpc = "${node.url}"\n`;
  const night = async (place: Place, settings: string, words: readonly string[], env: Record<string, string>): Promise<CliResult> => {
    writeFileSync(place.file("movedex.toml"), `rate = 0\n${settings}`);
    for (const [, db = ""] of settings.matchAll(/\bdb = "(\w+\.db)"/g)) if (!existsSync(place.file(db))) await quickArchive(place.file(db));
    const clock = new ManualClock({ startMs: Date.now(), skipSleeps: true });
    return runCli(["night", "--config", place.file("movedex.toml"), ...words], { env, clock });
  };

  type Way = { way: string; words: readonly string[]; env: Readonly<Record<string, string>>; key: string };
  const ways: readonly Way[] = [
    { way: "the option", words: ["--ping-url", `${origin}/n`], env: {}, key: "" },
    { way: "the variable", words: [], env: { MOVEDEX_PING_URL: `${origin}/n` }, key: "" },
    { way: "the settings file", words: [], env: { WATCHER: `${origin}/n` }, key: 'ping-url-env = "WATCHER"\n' },
    // Steps read the variable too, whoever names it.
    { way: "a file that names it", words: [], env: { MOVEDEX_PING_URL: `${origin}/n` }, key: 'ping-url-env = "MOVEDEX_PING_URL"\n' },
    { way: "the option, and none in the variable", words: ["--ping-url", `${origin}/n`], env: { MOVEDEX_PING_URL: "watcher" }, key: "" },
  ];

  test.for(ways)("with the URL in $way a good night is one start and one success", async ({ words, env, key }, { place }) => {
    const { stdout } = await ended(night(place, `${key}[here]\n${here}db = "here.db"\n`, words, env));
    expect(pinged).toEqual(["/n/start", "/n"]);
    // Whoever is woken reads the night's line first.
    expect(told).toEqual(["", expect.stringMatching(/^night: sealed ledger version \d+ in /)]);
    expect(stdout).toContain(told[1]);
  });

  // The outermost ways: of one the steps see nothing, of the other all of it.
  test.for(ways.filter((_, i) => i % 3 === 0))(
    "with the URL in $way several sections are one start and one end",
    async (one, { place }) => {
      const { words, env, key } = one;
      const output = key === "" ? ["--json"] : [];
      const sections = `${key}[gone]\n${gone}db = "gone.db"\n[here]\n${here}db = "here.db"\n`;
      // A failure also if only the first failed.
      await ended(night(place, sections, [...words, ...output, "--slices", "0"], env), 1);
      expect(pinged).toEqual(["/n/start", "/n/fail"]);
      expect(told[1]).toMatch(/^gone: night: not sealed .*\nhere: night: (?:sealed|nothing new)/);
    },
  );

  test.for(ways)("with the URL in $way a command line that cannot be read is one start and one failure", async (one, { place }) => {
    writeFileSync(place.file("movedex.toml"), `${one.key}${here}db = "here.db"\n`);
    const words = ["--max-duration", "soon", "--config", place.file("movedex.toml"), ...one.words];
    const { stdout } = await ended(runCli(["night", ...words], { env: one.env }), 64);
    expect(stdout).toMatch(/^night: not started: option '--max-duration <time>' argument 'soon' is invalid\. /);
    await ended(runCli(["sync", ...words], { env: one.env }), 64);
    expect(pinged).toEqual(["/n/start", "/n/fail", "/n/start", "/n/fail"]);
    expect([`${told[1]}\n`, told[3]]).toEqual([stdout, expect.stringMatching(/^sync: option '--max-duration <time>' argument/)]);
  });

  test("sections that share a file of metrics are all in it, each series under one heading, also after one of them alone", async ({
    place,
  }) => {
    const file = place.file("movedex.prom");
    // Two databases of one name.
    mkdirSync(place.file("other"));
    const sections = `[a]\n${here}db = "a.db"\n[gone]\n${gone}db = "gone.db"\n[b]\n${here}db = "other/a.db"\n`;
    const good = () => {
      const text = readFileSync(file, "utf8");
      const headings = text.match(/^# TYPE \S+/gm) ?? [];
      expect(headings).toEqual([...new Set(headings)]);
      return ["a", "gone", "b"].map((name) => new RegExp(`^movedex_run_success\\{.*archive="${name}".*\\} (.)$`, "m").exec(text)?.[1]);
    };
    await ended(night(place, sections, ["--metrics-file", file, "--slices", "0"], {}), 1);
    expect(good()).toEqual(["1", "0", "1"]);
    // Nothing is newer than what the night before read.
    await ended(night(place, sections, ["--metrics-file", file, "--slices", "0", "--section", "b"], {}), 7);
    expect(good()).toEqual(["1", "0", "0"]);
  });

  const addresses = { ONE: `${origin}/one`, TWO: `${origin}/two` };

  test("sections with URLs of their own are runs of their own", async ({ place }) => {
    const first = `ping-url-env = "ONE"\n[gone]\n${gone}db = "gone.db"\n`;
    const sections = `${first}[own]\n${here}db = "own.db"\nping-url-env = "TWO"\n[here]\n${here}db = "here.db"\n`;
    await ended(night(place, sections, [], addresses), 1);
    expect(pinged).toEqual(["/one/start", "/two/start", "/two", "/one/fail"]);
  });

  test("a section that another run holds hides no other, and a run that is held, or whose sections are, pings nothing", async ({
    place,
  }) => {
    const held = (name: string): string => `[${name}]\n${here}db = "${name}.db"\n`;
    const key = `ping-url-env = "ONE"\n`;
    const right = async (name: string, what: "night" | "write" = "night") =>
      await databaseAt(place.file(`${name}.db`)).acquireLock(what, { now: Date.now, host: "here" });
    await using rights = new AsyncDisposableStack();
    rights.defer(await right("held"));
    await ended(night(place, `${key}${held("held")}[gone]\n${gone}db = "gone.db"\n`, ["--slices", "0"], addresses), 1);
    expect(pinged).toEqual(["/one/start", "/one/fail"]);
    pinged = [];
    // What hangs in one section is not hidden by another that sealed.
    await ended(night(place, `${key}${held("held")}${held("free")}`, [], addresses), 5);
    expect(pinged).toEqual(["/one/start", "/one/fail"]);
    expect(told.at(-1)).toMatch(/^held: night: not started: another run of movedex .*\nfree: night: sealed /);
    pinged = [];
    rights.defer(await right("also"));
    await ended(night(place, `${key}${held("held")}${held("also")}`, [], addresses), 5);
    rights.defer(await right("free", "write"));
    const sync = ["sync", "--rpc", node.url, "--rate", "0", "--account", "0x1", "--db", place.file("free.db"), "--ping-url", `${origin}/n`];
    const asked = node.requestCount;
    await ended(runCli(sync), 5);
    expect([pinged, node.requestCount]).toEqual([[], asked]);
  });

  const two = (own: string): string => `[one]\n${here}db = "one.db"\n[two]\n${here}db = "two.db"\n${own}\n`;
  const shared = 'ping-url-env = "ONE"\n';
  const third = `${shared}[three]\n${here}db-env = "NOPE"\nping-url-env = "TWO"`;
  type Refusal = readonly [way: string, settings: string, cause: string, pings: string, failed: string];
  const own = two('ping-url-env = "TWO"').replace("[two]", 'ping-url-env = "ONE"\n[two]');
  const bothFail = "/one/start /two/start /one/fail /two/fail";
  const refusals: readonly Refusal[] = [
    ["a variable", `${shared}api-key-env = "NOPE"\n${here}db = "one"`, "^.*NOPE", "/one/start /one/fail", "one"],
    ["no node", `${shared}db = "one"`, "^.*--rpc", "/one/start /one/fail", "one"],
    ["a key", `${shared}${two('rat = "1"')}`, "^one: .*`rat`.*\n(.*\n)*two: .*`rat`", "/one/start /one/fail", "one two"],
    ["no TOML", "rate = = 1", "^.*line \\d", "/n/start /n/fail", ""],
    ["a variable of one", `${shared}${two('basic-auth-env = "NOPE"')}`, "^two: .*NOPE", "/one/start /one/fail", "two"],
    ["one database for two", shared + two("").replaceAll(/one.db|two.db/g, "x"), "^.*another section", "/one/start /one/fail", ""],
    ["one report for two", `report = "r.md"\n${shared}${two("")}`, "^.*one file as their `report`", "/one/start /one/fail", ""],
    ["one database for two, each with a check of its own", own.replace("two.db", "one.db"), "^.*another section", bothFail, ""],
    ["one report for two, each with a check of its own", `report = "r.md"\n${own}`, "^.*one file as their `report`", bothFail, ""],
    ["no such section", own, "^.*no section", bothFail, ""],
    ["no such section", `${shared}${two("")}`, "^.*no section", "/one/start /one/fail", ""],
    ["no such option", two('ping-url-env = "TWO"'), "^two: .*--rat", "/n/start /n/fail /two/start /two/fail", "one two"],
    ["a database of one", two(third), "^three: .*NOPE", "/n/start /n /one/start /one /two/start /two/fail", "three"],
  ];

  test.for(refusals)("a refused setting is told to all that are known: %s", async ([way, settings, cause, pings, failed], { place }) => {
    const metrics = place.file("m.prom");
    writeFileSync(metrics, ["one", "two", "three"].map((name) => `movedex_run_success{archive="${name}",command="night"} 1\n`).join(""));
    const env = { ...addresses, NONE: "no-url", MOVEDEX_PING_URL: `${origin}/n` };
    const more = way === "no such section" ? ["--section", "four"] : way === "no such option" ? ["--rat"] : [];
    const words = ["--slices", "0", ...more];
    const { stdout, stderr } = await ended(night(place, `metrics-file = "m.prom"\n${settings}`, words, env), 64);
    const line = new RegExp(cause.replace(/\^(?:\w+: )?/g, "$&night: not started: "), "m");
    expect(stdout).toMatch(line);
    expect(stderr).toMatch(/^movedex: /m);
    expect(pinged.join(" ")).toBe(pings);
    if (pings.endsWith("/fail")) expect(told.at(-1)).toMatch(line);
    const series = readFileSync(metrics, "utf8").matchAll(/^movedex_run_success\{.*archive="(?:[^"/]+\/)?(\w+)".*\} 0$/gm);
    expect(Array.from(series, ([, name]) => name).join(" ")).toBe(failed);
  });

  test("a URL whose variable is not set costs no night, and the other URL is told", async ({ place }) => {
    const env = { MOVEDEX_PING_URL: `${origin}/n` };
    for (const settings of [`ping-url-env = "NOPE"\n${here}db = "alone.db"\n`, two('ping-url-env = "NOPE"')]) {
      pinged = [];
      const { stderr } = await ended(night(place, settings, ["--slices", "0"], env));
      expect(stderr).toContain("`ping-url-env` names the environment variable `NOPE`, which is not set; no ping goes there");
      expect(pinged).toEqual(["/n/start", "/n"]);
    }
  });

  test.for([
    ["the word", ["--weekly"], ""],
    ["the file", [], "weekly = true\n"],
  ] as const)("a week by %s writes no report and no backup, so that its sections may name one file", async ([, words, key], { place }) => {
    const settings = `${key}report = "r.md"\nbackup = "b.db"\n${two("")}`;
    const { stdout } = await ended(night(place, settings, [...words, "--dry-run"], addresses));
    expect(stdout).toMatch(/^one: movedex verify .*\n.*\ntwo: movedex verify /);
  });

  test("sections that a signal leaves out end their run as failed", async ({ place }) => {
    const { signals, send } = signalSender();
    const stops = faults.planFaults([{ fault: faults.meanwhile("SIGTERM", () => send("SIGTERM")) }]);
    await using stopped = await startSimNode({ ledger: createSampleLedger().ledger, faults: stops });
    const shared = (name: string): string => `[${name}]\n${here}db = "${name}.db"\nping-url-env = "ONE"\n`;
    const sections = `${shared("first")}[stopped]\nrpc = "${stopped.url}"\ndb = "s.db"\nping-url-env = "TWO"\n${shared("last")}`;
    writeFileSync(place.file("movedex.toml"), `rate = 0\n${sections}`);
    const words = ["night", "--config", place.file("movedex.toml")];
    await ended(runCli(words, { env: addresses, signals }), 143);
    expect(pinged).toEqual(["/one/start", "/two/start", "/two/fail", "/one/fail"]);
  });

  test("a service that never answers holds up a run that a signal ends no longer than its pings may take then", async ({ place }) => {
    const { signals, send } = signalSender();
    await using silent = await listening(createServer((request) => send(request.url === "/n/start" ? "SIGTERM" : "SIGINT")));
    const words = ["--rpc", node.url, "--rate", "0", "--db", place.file("here.db"), "--ping-url", `${silent.origin}/n`];
    const { stderr } = await ended(runCli(["night", ...words], { signals, clock: new ManualClock({ skipSleeps: true }) }), 143);
    expect(stderr).toMatch(/the ping to \S+ failed: it had not answered when a signal ended the run/);
    expect(stderr).toMatch(/the ping to \S+ failed: it did not answer within 2 s/);
  });
});
