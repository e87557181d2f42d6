import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterAll, beforeEach, describe, expect } from "vitest";
import { createSampleLedger, faults, startSimNode } from "../../../sim/index.ts";
import { metricsText } from "../../../src/capabilities/monitoring/exposition.ts";
import { sized } from "../../run-size.ts";
import { type CliResult, ended, listening, ManualClock, runCli, test } from "../../support/index.ts";

describe("telling others of a run", async () => {
  let pinged: string[];
  let answer: (path: string) => number | undefined;
  const kept = new AsyncDisposableStack();
  afterAll(() => kept.disposeAsync());
  const node = kept.use(await startSimNode({ ledger: createSampleLedger().ledger }));
  const watcher = createServer((request, response) => {
    pinged.push(request.url ?? "");
    const status = answer(request.url ?? "");
    if (status !== undefined) response.writeHead(status).end("OK");
  });
  const { origin: base } = kept.use(await listening(watcher));
  /** By how much the clock on the wall was set back. */
  let backMs = 0;
  beforeEach(() => {
    pinged = [];
    answer = () => 200;
  });

  const sync = (db: string, url: string, ...more: string[]): Promise<CliResult> =>
    runCli(["sync", "--rpc", url, "--db", db, "--account", "0x1", "--rate", "0", "--json", ...more], {
      clock: Object.assign(new ManualClock({ skipSleeps: true }), { now: () => Date.now() - backMs }),
    });

  test("a failed run pings its failure; its line and metrics say so, and the lines before stay", async ({ place }) => {
    const [db, metrics, lines] = [place.file("x.db"), place.file("movedex.prom"), place.file("runs.jsonl")];
    writeFileSync(lines, '{"cut off');
    await ended(sync(db, "http://127.0.0.1:9/v1", "--ping-url", `${base}/p?k=v`, "--metrics-file", metrics, "--summary-file", lines), 1);
    expect(pinged).toEqual(["/p/start?k=v", "/p/fail?k=v"]);
    const [cut, line] = readFileSync(lines, "utf8").split("\n");
    expect(cut).toBe('{"cut off');
    expect(JSON.parse(line as string)).toMatchObject({
      exit: "failed",
      exit_code: 1,
      error: { code: expect.stringMatching(/^MOVEDEX_NODE_/) },
    });
    expect(readFileSync(metrics, "utf8")).toMatch(/^movedex_run_exit_code\{archive="[^/]+\/x\.db",command="sync"\} 1$/m);
  });

  test("a database that cannot be read keeps the series that its alarms read, each once", async ({ place }) => {
    const [db, metrics] = [place.file("x.db"), place.file("movedex.prom")];
    await ended(sync(db, node.url, "--metrics-file", metrics));
    const held = () => readFileSync(metrics, "utf8").match(/^movedex_(last_good|newest|node_oldest|snapshots).*$/gm);
    const before = held();
    expect(before?.length).toBeGreaterThan(6);
    appendFileSync(metrics, `\0 no metric\nmovedex_cut{archive="x.db"\n${before?.join("\n")}\n`);
    for (const name of readdirSync(place.path)) if (name.startsWith("x.db")) rmSync(place.file(name));
    mkdirSync(db);
    expect((await sync(db, node.url, "--metrics-file", metrics)).code).not.toBe(0);
    expect(held()).toEqual(before);
    expect(readFileSync(metrics, "utf8")).toMatch(/^movedex_run_success\{chain_id="4",archive="[^/]+\/x\.db",command="sync"\} 0$/m);
  });

  test("two archives of one name that write beside each other are told of it", async ({ place }) => {
    for (const folder of ["a/main", "b/main", "metrics"]) mkdirSync(place.file(folder), { recursive: true });
    const to = (name: string) => ["--metrics-file", place.file(`metrics/${name}.prom`)];
    const twice = /`a\.prom` beside `\S+b\.prom` has series of the archive `main\/x\.db` too/;
    expect((await ended(sync(place.file("a/main/x.db"), node.url, ...to("a")))).stderr).not.toMatch(twice);
    expect((await ended(sync(place.file("b/main/x.db"), node.url, ...to("b")))).stderr).toMatch(twice);
    expect((await ended(sync(place.file("b/x.db"), node.url, ...to("b")))).stderr).not.toMatch(twice);
  });

  test("a seal moves the time of the last good sync, also of a run that lost an older snapshot, and nothing else does", async ({
    place,
  }) => {
    const [db, metrics, { ledger, codeAccounts }] = [place.file("x.db"), place.file("movedex.prom"), createSampleLedger()];
    let setsBackMs = 0;
    const setBack = () => {
      backMs += setsBackMs;
    };
    await using own = await startSimNode({ ledger, faults: faults.planFaults([{ fault: faults.meanwhile("set back", setBack) }]) });
    const more = [...codeAccounts.flatMap((account) => ["--account", account]), "--metrics-file", metrics];
    const night = async (exitCode: number, ...flags: string[]) => {
      await ended(sync(db, own.url, ...more, ...flags), exitCode);
      return /^movedex_last_good.* (.*)$/m.exec(readFileSync(metrics, "utf8"))?.[1];
    };
    expect(await night(0, "--max-requests", "8")).toBeUndefined();
    ledger.advance(1000n);
    ledger.pruneTo(ledger.head);
    const sealed = await night(3);
    expect(sealed).toBeDefined();
    ledger.advance(1000n);
    expect(await night(0, "--max-requests", "8", "--ledger-version", `${ledger.head}`)).toBe(sealed);
    ledger.advance(1000n);
    setsBackMs = 60_000;
    expect(Number(await night(0))).toBeLessThan(Number(sealed));
  });

  // The one that is silent is waited for, five seconds of the clock on the wall.
  test("a watcher that refuses, is silent or is not there changes nothing but a warning without the URL's path", async ({ place }) => {
    answer = (path) => (path.endsWith("/start") ? sized(502, undefined) : 503);
    const { stderr } = await ended(sync(place.file("x.db"), node.url, "--ping-url", `${base}/secret-2`));
    const start = sized("answered with HTTP status 502", "did not answer within 5 s");
    expect(stderr).toMatch(new RegExp(`the ping to http://127\\.0\\.0\\.1:\\d+ failed: it ${start}`));
    expect(stderr).toContain("it answered with HTTP status 503");
    const gone = await runCli(["sync", "--rpc", node.url, "--db", place.file("y.db"), "--account", "0x1", "--rate", "0"], {
      env: { MOVEDEX_PING_URL: "http://127.0.0.1:9/secret-3" },
    });
    expect([gone.code, gone.stderr]).toEqual([0, expect.stringContaining("ECONNREFUSED")]);
    expect(stderr + gone.stderr).not.toContain("secret");
  });

  test("files that cannot be written, and a URL that is none, cost no run its snapshot, and each makes it fail; a file whose folder is back by its end does not", async ({
    place,
  }) => {
    mkdirSync(place.file("dir"));
    for (const flags of [
      ["--metrics-file", place.file("none/x.prom")],
      ["--summary-file", place.file("none/x.jsonl")],
      ["--summary-file", place.file("dir")],
      ["--ping-url", "not a url"],
    ]) {
      const { json, stderr } = await ended(sync(place.file("x.db"), node.url, ...flags), 1);
      expect(json()["status"]).toMatch(/^(?:sealed|held)$/);
      expect(stderr).toMatch(/could not write the (metrics|summary) file|the ping URL must begin/);
    }
    const back = faults.planFaults([{ fault: faults.meanwhile("a mount", () => mkdirSync(place.file("none"))), at: 3 }]);
    await using own = await startSimNode({ ledger: createSampleLedger().ledger, faults: back });
    await ended(sync(place.file("y.db"), own.url, "--metrics-file", place.file("none/y.prom")));
    expect(readFileSync(place.file("none/y.prom"), "utf8")).toContain("movedex_run_success");
  });
});

test("metricsText escapes labels and leaves out what has no value", () => {
  const metric = (name: string, value: number) => ({ name, help: "A thing.", values: [{ labels: { reason: 'a"b\\c\nd' }, value }] });
  expect(metricsText([metric("x_total", 1.5), metric("y", Number.NaN), metric("z", Number.POSITIVE_INFINITY)])).toBe(
    '# HELP x_total A thing.\n# TYPE x_total gauge\nx_total{reason="a\\"b\\\\c\\nd"} 1.5\n',
  );
});
