import { writeFileSync } from "node:fs";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createSampleLedger, type SimNode, startSimNode } from "../../../sim/index.ts";
import { type CliResult, ended, listsOf, ManualClock, runCli, temporaryDirectory } from "../../support/index.ts";

type Setting = { readonly name: string; readonly value: string; readonly source: string };

describe("a settings file", async () => {
  let own: ReturnType<typeof temporaryDirectory>;
  let keysSeen: (string | undefined)[][];
  const start = async (index: number): Promise<SimNode> =>
    await startSimNode({
      ledger: createSampleLedger().ledger,
      faults: {
        pick: ({ headers }) => {
          keysSeen[index]?.push(headers["authorization"]);
          return [];
        },
        unmet: () => [],
      },
    });
  const nodes = [await start(0), await start(1)] as const;
  beforeEach(() => {
    keysSeen = [[], []];
    own = temporaryDirectory();
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
  });

  const withFile = async (text: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliResult> => {
    const file = own.file("movedex.toml");
    writeFileSync(file, text);
    return await runCli([...words, "--config", file], { env, clock: new ManualClock({ startMs: Date.now(), skipSleeps: true }) });
  };
  const complaint = async (text: string, words: readonly string[] = ["status"], env = {}): Promise<string> => {
    const { stderr } = await ended(withFile(text, words, env), 64);
    return stderr.replace(own.path, "").trimEnd();
  };
  const inForce = ({ json }: CliResult): Record<string, [string, string]> =>
    Object.fromEntries(
      (json()["settings"] as Setting[]).map(({ name, value, source }) => [name, [value, source.replace(`${own.path}/`, "")]]),
    );

  test("a flag stands over the file, the file over the environment, a section over the file's head, a command's table over both", async () => {
    const text = `rate = 7\nconcurrency = 3\n[doctor]\nencoding = "json"\n[mine]\nrpc = "${nodes[0].url}"\nrate = 9\ndb = "night.db"\nkeep = 3\nmax-requests = 5000\nmax-duration = "6h"\nrecords = "weekly"\n[mine.sync]\npage-size = 5\n`;
    const result = await ended(withFile(text, ["doctor", "--json"], { DATABASE_URL: "other.db", MOVEDEX_CONTACT: "a@example.org" }));
    expect(inForce(result)).toEqual({
      node: [nodes[0].url, "movedex.toml, [mine]"],
      rate: ["9 requests a second", "movedex.toml, [mine]"],
      concurrency: ["3", "movedex.toml"],
      encoding: ["json", "movedex.toml, [doctor]"],
      db: [own.file("night.db"), "movedex.toml, [mine]"],
      contact: ["a@example.org", "MOVEDEX_CONTACT"],
      keep: ["3", "movedex.toml, [mine]"],
      "max-requests": ["5000", "movedex.toml, [mine]"],
      "max-duration": ["6 h", "movedex.toml, [mine]"],
      records: ["weekly", "movedex.toml, [mine]"],
      "sync.page-size": ["5", "movedex.toml, [mine.sync]"],
    });
    const typed = await withFile(text, ["doctor", "--json", "--rate", "11", "--db", own.file("typed.db")]);
    expect(inForce(typed)).toMatchObject({
      rate: ["11 requests a second", "--rate"],
      db: [own.file("typed.db"), "--db"],
      concurrency: ["3", "movedex.toml"],
    });
  });

  test("the doctor says which settings of a step an option of the night overrides, as the night itself plans it", async () => {
    const steps = "[mine.sync]\nrate = 2\npage-size = 5\n[mine.trace]\nmax-requests = 50\n";
    for (const rate of ["", "rate = 9\n"]) {
      const text = `[mine]\nrpc = "${nodes[0].url}"\ndb = "night.db"\n${rate}${steps}`;
      const values = Object.entries(inForce(await ended(withFile(text, ["doctor", "--json"])))).map(([name, [value]]) => [name, value]);
      const overridden = "; in a night, an option of `night` overrides it";
      expect(Object.fromEntries(values)).toMatchObject({
        "sync.rate": `2${rate === "" ? "" : overridden}`,
        "sync.page-size": "5",
        "trace.max-requests": `50${overridden}`,
      });
      const { stdout } = await ended(withFile(text, ["night", "--dry-run"]));
      const last = (step: string, option: string) => new RegExp(`^movedex ${step} .*--${option} (\\S+)`, "m").exec(stdout)?.[1];
      expect([last("sync", "rate"), last("sync", "page-size"), last("trace", "max-requests")]).toEqual([
        rate === "" ? "2" : "9",
        "5",
        "1000",
      ]);
    }
  });

  test("without a file the doctor names preset, environment and defaults", async () => {
    const { json } = await runCli(["doctor", "--json"], {
      env: { MOVEDEX_RPC_URL: nodes[0].url, DATABASE_URL: own.file("x.db"), MOVEDEX_API_KEY: "s3cret" },
    });
    const settings = json()["settings"] as Setting[];
    expect(settings.map(({ name, source }) => `${name}: ${source}`)).toEqual([
      "node: MOVEDEX_RPC_URL",
      "rate: the default for an unknown node",
      "concurrency: the default for an unknown node",
      "encoding: the default",
      "db: DATABASE_URL",
      "API key: MOVEDEX_API_KEY",
    ]);
    expect(JSON.stringify(json())).not.toContain("s3cret");
  });

  test("an unknown key is refused with the nearest known one, wherever it stands", async () => {
    expect(await complaint("concurency = 3")).toBe(
      "movedex: the settings file `/movedex.toml`: its head has an unknown key `concurency`. Did you mean `concurrency`?",
    );
    expect(await complaint("[a]\nmax-requets = 3")).toMatch(/: \[a\] has an unknown key `max-requets`\. Did you mean `max-requests`/);
    expect(await complaint("[a.sync]\nbackup = 'x'")).toMatch(/: \[a\.sync\] has an unknown key `backup`\. It belongs to `night`\.$/);
    expect(await complaint("[a.synk]\nrate = 3")).toMatch(
      /: \[a\] holds a table `synk`, and movedex has no such command\. Did you mean `sync`\?$/,
    );
    expect(await complaint("[a.night]\nping-url-env = 'X'")).toMatch(
      /: \[a\.night\] has an unknown key `ping-url-env`\. It belongs in \[a\], for all commands\.$/,
    );
    expect(await complaint("[night]\ncontact = 'X'")).toMatch(/`contact`\. It belongs in the file's head, for all commands\.$/);
    expect(await complaint("[night]\nping-ur = 'X'")).not.toContain("`ping-url`");
    expect(await complaint("config = 'x'")).toMatch(/unknown key `config`/);
  });

  test("a bad value is refused at once, for whichever command it is meant", async () => {
    expect(await complaint("[a.night]\nslices = -1")).toMatch(
      /movedex\.toml, \[a\], `slices`: `-1` is invalid\. Give a whole number from 0 to 10000\.$/,
    );
    expect(await complaint("[a]\nmax-duration = true")).toMatch(/`max-duration`: give a value instead of true or false\.$/);
    expect(await complaint("weekly = 'yes'")).toMatch(/`weekly`: give true or false\.$/);
    expect(await complaint("rate = [1, 2]")).toMatch(/`rate`: give one value, not a list\.$/);
    expect(await complaint("network = 'aptos-mainet'")).toMatch(/`network`: .*aptos-mainnet/);
    expect(await complaint("rate = 2026-11-21")).toMatch(/wanted text, a number, true, false or a list/);
    expect(await complaint("rate = ")).toMatch(/`\/movedex\.toml`: line 1, column 8: .+\.$/);
    expect(await complaint(`a = ${"[".repeat(40)}${"]".repeat(40)}`)).toMatch(/: line 1, column/);
  });

  test("secrets stay in the environment, and are sent to the network that names them only", async () => {
    expect(await complaint("api-key = 'k'")).toMatch(/holds `api-key`\. Secrets do not belong in a file: write `api-key-env = "NAME"`/);
    expect(await complaint("[a]\nping-url = 'https://hc.example/x'")).toMatch(/write `ping-url-env = "NAME"`/);
    expect(await complaint("[a.night]\nping-url = 'https://hc.example/x'")).toMatch(/write `ping-url-env = "NAME"` in \[a\], and set/);
    expect(await complaint("[tell.team]\nwebhook = 'https://hc.example/x'")).toMatch(/write `webhook-env = "NAME"`, and set/);
    expect(await complaint("db = 'postgres://me:pass@host/db'")).toMatch(/the address holds a password, .*`db-env = "NAME"`/);
    expect(await complaint("rpc = 'https://host/abcdef0123456789abcdef01/v1'")).toMatch(/the address holds what looks like a key/);
    expect(await complaint("[a]\napi-key-env = 'K1'", ["doctor"])).toMatch(
      /`api-key-env` names the environment variable `K1`, which is not set\.$/,
    );

    // What only the environment may hold is taken from there, and never shown.
    const hidden = "[a]\nrpc-env = 'NODE'\ndb-env = 'PG'\n[b]\nrpc = 'http://127.0.0.1:9/v1'\ndb = 'b.db'\n";
    const named = { NODE: "http://127.0.0.1:9/abcdef0123456789abcdef01/v1", PG: "postgres://me:hunter2@127.0.0.1:9/x" };
    const told = await withFile(hidden, ["doctor", "--json"], named);
    expect(told.stdout).toContain("postgres://me@127.0.0.1:9/x");
    expect(told.stdout + told.stderr).not.toMatch(/hunter2|abcdef0123456789|does not belong/);

    const text = `[one]\nrpc-env = "NODE_ONE"\ndb = "one.db"\napi-key-env = "KEY_ONE"\n[two]\nrpc = "${nodes[1].url}"\ndb = "two.db"\n`;
    const env = { NODE_ONE: nodes[0].url, KEY_ONE: "first-key", MOVEDEX_API_KEY: "of-somebody", MOVEDEX_RPC_URL: "http://127.0.0.1:9/v1" };
    const { stdout } = await ended(withFile(text, ["doctor", "--rate", "0"], env));
    expect(stdout).toMatch(/^one: set {3}API key {5}set, not shown \(.*movedex\.toml, \[one\]\)$/m);
    expect(stdout).not.toMatch(/two: set {3}API key|first-key|of-somebody/);
    expect(new Set(keysSeen[0])).toEqual(new Set(["Bearer first-key"]));
    expect(keysSeen[1]?.length).toBeGreaterThan(0);
    expect(new Set(keysSeen[1])).toEqual(new Set([undefined]));
  });

  test("several sections: most commands want to know which, and a name that is none is not guessed", async () => {
    const text = `[one]\nrpc = "${nodes[0].url}"\n[aptos-mainnet]\ndb = "a.db"\n`;
    expect(await complaint(text)).toMatch(/it has several sections; name one with --section: `one`, `aptos-mainnet`\.$/);
    expect(await complaint(text, ["status", "--section", "onne"])).toMatch(/it has no section `onne`\. Did you mean `one`\?$/);
    expect(await complaint(text, ["sync", "--network", "movement-mainnet"])).toMatch(
      /it has no section for the network `movement-mainnet`/,
    );
    expect(await complaint(text, ["night"])).toMatch(
      /\[one\] names no database\. With several networks each needs its own: add `db = "one\.db"`\.$/,
    );
    expect(await complaint(`[one]\ndb = "x.db"\n[two]\ndb = "./x.db"`, ["night"])).toMatch(
      /\[two\] names a database that another section names too/,
    );
    expect(await complaint(`[one]\ndb = "x.db"\n[two]\ndb = "y.db"`, ["night", "--db", "z.db"])).toMatch(
      /--db and --rpc are for one network/,
    );
    const dry = await withFile(text, ["night", "--network", "aptos-mainnet", "--dry-run"]);
    expect(dry.stdout).toMatch(new RegExp(`^movedex sync --network aptos-mainnet .*--db ${own.file("a.db")}`));
    const { code, stderr } = await runCli(["status", "--section", "one"]);
    expect([code, stderr]).toEqual([64, "movedex: --section names a section of a settings file: give --config FILE as well.\n"]);
  });

  test("the nights of several networks run one after the other, each with its database and its exit code in the summary", async () => {
    const text = `rate = 0\ntrace-requests = 10\nmetrics-file = "last.prom"\n[gone]\nrpc = "http://127.0.0.1:9/v1"\ndb = "gone.db"\n[here]\nrpc = "${nodes[1].url}"\ndb = "here.db"\naccount = "0x4"\n`;
    // The database of the environment is none of theirs, whatever it says.
    const { json } = await ended(withFile(text, ["night", "--json", "--slices", "1"], { DATABASE_URL: "postgres://%" }), 1);
    const { exit, exit_code, networks } = json() as { exit: string; exit_code: number; networks: Record<string, unknown>[] };
    expect([exit, exit_code]).toEqual(["failed", 1]);
    expect(networks).toMatchObject([
      { section: "gone", database: own.file("gone.db"), exit: "failed", exit_code: 1 },
      { section: "here", database: own.file("here.db"), exit: "done", exit_code: 0, job: "night", lost: 0 },
    ]);
    // A key that the night has no option for counts for its steps.
    expect(listsOf(own.file("here.db"), "SELECT address FROM covered_latest")).toEqual([["0x4"]]);
    const words = await withFile(text, ["night", "--section", "here", "--dry-run"]);
    expect(words.stdout.split("\n")[0]).toMatch(/^movedex sync --account 0x4 --rpc .* --rate 0 .*--db .*here\.db --json$/);
    expect(words.stdout).not.toContain("metrics");
    const spoken = await withFile(text, ["night"]);
    expect(spoken.stdout).toMatch(/^gone: exit code 1, database .*gone\.db$/m);
    expect(spoken.stdout).toMatch(/^here: night: (?:sealed ledger version \d+ in|nothing new after) /m);
  });
});
