import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { createSampleLedger, faults, startSimNode } from "../../../sim/index.ts";
import { asWords } from "../../support/command/as-words.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { expectHarmlessPod, podsOf } from "../../support/pod-rules.ts";
import { runCli } from "../../support/run-cli.ts";
import { runProcess } from "../../support/run-process.ts";
import { nodeOfFile } from "../../support/scene/node-of-file.ts";
import { changeFile } from "../../support/store/ask-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";

const jobs = fileURLToPath(new URL("../../../jobs", import.meta.url));

type StepOfSummary = { readonly name: string; readonly exit: string; readonly exit_code: number | null } & Record<string, unknown>;
type Summary = { readonly exit: string; readonly totals?: Record<string, unknown>; readonly steps: readonly StepOfSummary[] };

const namesAndExits = ({ steps }: Summary): string[] => steps.map(({ name, exit }) => `${name}: ${exit}`);

describe("night", async () => {
  const sample = createSampleLedger();
  const node = await nodeOfFile({ ledger: sample.ledger });

  test("does every step in order, and ends with one summary, a report and a backup", async ({ place }) => {
    const db = place.file("night.db");
    await runCli(["targets", "add", ...sample.codeAccounts, sample.trader, "--db", db]);
    const words = asWords`
      night --rpc ${node.url} --rate 0 --db ${db} --json --backup ${place.file("backups")}/ --report ${place.file("new.md")}
    `;
    const first = await ended(runCli(words));
    expect(first.stdout.split("\n")).toHaveLength(2);
    sample.passDay();
    const { json } = await ended(runCli(words));
    const summary = json() as Summary;
    expect(namesAndExits(summary)).toEqual(["sync: done", "trace: done", "gaps: done", "verify: done", "backup: done", "report: done"]);
    expect(summary.totals).toMatchObject({ gaps: 0, lost: 0, inexact_changes: 0, versions_left: null, head_age_ms: expect.any(Number) });
    expect(summary.steps[0]).toMatchObject({ chain_id: 4, status: "sealed", gaps: 0, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(summary.steps.at(-1)).toMatchObject({ modules_added: 1, modules_abi_changed: 2, keys_rotated: 1 });
    expect(readFileSync(place.file("new.md"), "utf8")).toContain("\n1 module breaks somebody, 1 may, 1 does not.\n");
    expect(readdirSync(place.file("backups"))).toEqual([expect.stringMatching(/^night-\d{8}\.db\.zst$/)]);
    const words1 = await runCli(words.filter((word) => word !== "--json"));
    // The ledger has stood still since the first night, and its newest version is months old.
    expect(words1.stdout).toMatch(
      /^night: nothing new after [^,:]*: the node's newest version, \d+, is .* old and no newer than what is held. `movedex doctor` tells more(\. No night makes a backup.*)?\n$/,
    );
  });

  test("what a night sealed that was killed before its report is in the next night's, which did something even if the node has nothing newer", async () => {
    const ledger = createSampleLedger();
    await using own = Object.assign(await startSimNode({ ledger: ledger.ledger }), { place: temporaryDirectory() });
    const [db, out] = [own.place.file("night.db"), own.place.file("new.md")];
    const reading = ["--rpc", own.url, "--rate", "0", "--db", db];
    const night = () => runCli(["night", ...reading, "--json", "--report", out]);
    await runCli(["targets", "add", ...ledger.codeAccounts, ledger.trader, "--db", db]);
    await ended(night());
    ledger.passDay();
    // All that is left of a night that is killed right after its seal.
    await ended(runCli(["sync", ...reading]));
    const second = await night();
    expect([second.code, namesAndExits(second.json() as Summary)[0]]).toEqual([0, "sync: stale"]);
    expect(second.stderr).toContain("which no report has yet");
    expect((second.json() as Summary).steps.at(-1)).toMatchObject({ modules_added: 1, modules_abi_changed: 2, keys_rotated: 1 });
    expect(readFileSync(out, "utf8")).toContain("\n1 module breaks somebody, 1 may, 1 does not.\n");
    expect((await runCli(["report", "--db", db])).stdout).toContain("\n1 module breaks somebody, 1 may, 1 does not.\n");
    expect((await runCli(["runs", "--db", db, "--json"])).stdout).not.toContain('"report"');
    // Now all is reported, and there is nothing new: the operator's timer hears so.
    const third = await night();
    expect([third.code, third.stderr.includes("in no report yet")]).toEqual([7, false]);
    expect((await runCli(["report", "--db", db])).stdout).toContain("\n1 module breaks somebody, 1 may, 1 does not.\n");
    own.place[Symbol.dispose]();
  });

  test("a report that could not be written is in the next night's", async ({ place }) => {
    const [db, folder] = [place.file("night.db"), place.file("reports")];
    const ledger = createSampleLedger();
    mkdirSync(folder);
    let isTaken = false;
    const plan = {
      // The place is there when the night begins, and gone when the report is written.
      pick: (): [] => {
        if (isTaken) rmSync(folder, { recursive: true, force: true });
        return [];
      },
      unmet: () => [],
    };
    await using watched = await startSimNode({ ledger: ledger.ledger, faults: plan });
    await runCli(["targets", "add", ...ledger.codeAccounts, "--db", db]);
    const words = ["night", "--rpc", watched.url, "--rate", "0", "--db", db, "--report", `${folder}/new.md`, "--json"];
    await ended(runCli(words));
    ledger.passDay();
    isTaken = true;
    const failed = await ended(runCli(words), 64);
    expect(namesAndExits(failed.json() as Summary)).toEqual(["sync: done", "trace: done", "gaps: done", "verify: done", "report: usage"]);
    isTaken = false;
    mkdirSync(folder);
    await ended(runCli(words));
    expect(readFileSync(`${folder}/new.md`, "utf8")).toContain("`spot_price` was removed");
  });

  test("a node that is away leaves out what needs it, and nothing else", async ({ place }) => {
    const db = place.file("night.db");
    await runCli(["sync", "--rpc", node.url, "--rate", "0", "--db", db, "--account", "0x1"]);
    const words = ["night", "--rpc", "http://127.0.0.1:9/v1", "--db", db, "--backup", place.file("copy.zst"), "--json"];
    const { json } = await ended(runCli(words, { clock: new ManualClock({ startMs: Date.now(), skipSleeps: true }) }), 1);
    expect(namesAndExits(json() as Summary)).toEqual([
      expect.stringMatching(/^sync: failed/),
      "trace: left out",
      "gaps: done",
      "verify: done",
      "backup: done",
      "report: done",
    ]);
    expect((json() as Summary).steps[0]).toMatchObject({ error: { code: expect.stringMatching(/^MOVEDEX_NODE_/) } });
  });

  test("a damaged database takes no good backup's place, and ends with 6", async ({ place }) => {
    const [db, copy] = [place.file("night.db"), place.file("copy.zst")];
    await runCli(["sync", "--rpc", node.url, "--rate", "0", "--db", db, "--account", "0x1"]);
    await runCli(["backup", copy, "--db", db]);
    const before = readFileSync(copy);
    changeFile(db, "UPDATE _bytecodes SET size = size + 1");
    const { json } = await ended(
      runCli(["night", "--rpc", node.url, "--rate", "0", "--db", db, "--backup", copy, "--slices", "1", "--json"]),
      6,
    );
    expect(namesAndExits(json() as Summary)).toEqual([
      "sync: stale",
      "trace: done",
      "gaps: done",
      "verify: corrupt",
      "backup: left out",
      "report: done",
    ]);
    expect(readFileSync(copy).equals(before)).toBe(true);
    await ended(runCli(["night", "--weekly", "--db", db]), 6);
  });

  test("while one night runs, another ends with 5, asks nothing and tells nobody", async ({ place }) => {
    const db = place.file("night.db");
    const holder = new Database(`${db}.night.lock`);
    holder.exec("BEGIN IMMEDIATE");
    const asked = node.requestCount;
    const { code, stderr, stdout } = await runCli(asWords`
      night --rpc ${node.url} --db ${db} --ping-url ${node.url} --summary-file ${place.file("nights.jsonl")}
    `);
    holder.close();
    expect([code, node.requestCount, existsSync(place.file("nights.jsonl"))]).toEqual([5, asked, false]);
    expect(stderr).toMatch(/another run of movedex is in the middle of the night of `.*night\.db`/);
    // Cron mails what is on stdout, and the log of the night holds the rest.
    expect(stdout).toMatch(/^night: not sealed: another run of movedex is in the middle of the night .*\n$/);
  });

  test("gaps that the next night asks for again do not wake anybody", async ({ place }) => {
    const silent = sample.codeAccounts[1] as string;
    const match = ({ target }: { readonly target: string }): boolean => target.includes(`${silent}/modules`);
    const plan = faults.planFaults([{ fault: faults.storageFailure("noIndexer"), match }]);
    await using partly = await startSimNode({ ledger: sample.ledger, faults: plan });
    const db = place.file("night.db");
    await runCli(["targets", "add", ...sample.codeAccounts, "--db", db]);
    const { code, json } = await runCli(["night", "--rpc", partly.url, "--rate", "0", "--db", db, "--json"]);
    expect([code, (json() as Summary).steps[0]?.exit]).toEqual([0, "gaps"]);
  });

  test("SIGTERM ends the step at work well and leaves out the rest", async ({ place }) => {
    let deliver: ((signal: "SIGINT" | "SIGTERM") => void) | undefined;
    const plan = {
      pick: (_: unknown, count: number): [] => {
        if (count === 4) deliver?.("SIGTERM");
        return [];
      },
      unmet: () => [],
    };
    await using watched = await startSimNode({ ledger: sample.ledger, faults: plan });
    const db = place.file("night.db");
    await runCli(["targets", "add", ...sample.codeAccounts, "--db", db]);
    const words = ["night", "--rpc", watched.url, "--rate", "0", "--concurrency", "1", "--db", db, "--json"];
    const { json } = await ended(runCli(words, { signals: (handler) => (deliver = handler) }), 143);
    expect(namesAndExits(json() as Summary).slice(0, 3)).toEqual(["sync: terminated", "trace: left out", "gaps: left out"]);
  });

  test("--dry-run prints the commands, which a shell understands, and runs none", async ({ place }) => {
    const db = place.file("it's night.db");
    const { code, stdout } = await runCli(asWords`
      night --network aptos-mainnet --db ${db} --max-duration 4h --backfill 1d --backup b/ --keep 3 --dry-run
    `);
    const quoted = `'${db.replace("'", "'\\''")}'`;
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      `movedex sync --network aptos-mainnet --encoding auto --max-duration 14400s --db ${quoted} --json`,
      `movedex backfill --network aptos-mainnet --encoding auto --max-duration 14400s --every 86400s --db ${quoted} --json`,
      `movedex trace --network aptos-mainnet --encoding auto --max-duration 14400s --max-requests 1000 --db ${quoted} --json`,
      `movedex gaps --limit 0 --db ${quoted} --json`,
      expect.stringMatching(/^movedex verify --slice [1-7]\/7 --db /),
      `movedex backup b/ --zstd --keep 3 --db ${quoted} --json`,
      `movedex report --last --limit 0 --db ${quoted} --json`,
      "",
    ]);
    const words = ["sync", "--network", "aptos-mainnet", "--encoding", "auto", "--db", db, "--json"];
    const { json } = await ended(runCli(["night", "--network", "aptos-mainnet", "--db", db, "--dry-run", "--json"]));
    expect(json()).toMatchObject({ job: "night", dry_run: true, steps: [{ name: "sync", argv: words }, { name: "trace" }, {}, {}, {}] });
    expect(readdirSync(place.path)).toEqual([]);
  });

  test("jobs/nightly.ts and jobs/weekly.ts are the same night and week, with one line of JSON", async ({ place }) => {
    const db = place.file("night.db");
    const night = await ended(runProcess(process.execPath, [`${jobs}/nightly.ts`, "--rpc", node.url, "--rate", "0", "--db", db]));
    expect(JSON.parse(night.stdout)).toMatchObject({ job: "night", exit: "done" });
    const week = await runProcess(process.execPath, [`${jobs}/weekly.ts`, "--db", db]);
    expect(JSON.parse(week.stdout)).toMatchObject({ job: "week", exit: "done", steps: [{ name: "verify", exit_code: 0 }] });
  });
});

describe("examples", () => {
  const read = (name: string): string => readFileSync(`${jobs}/examples/${name}`, "utf8");

  /** The words of each `movedex night` in a text, as a shell would hand them over. */
  const nights = (text: string): string[][] =>
    [...text.matchAll(/movedex (night [^\n]*)/g)].map(([, words = ""]) => words.replace(/ 2>>.*$/, "").split(" "));

  test("every command line of crontab and services is one that movedex takes", async ({ place }) => {
    const lines = ["crontab", "movedex.service", "movedex-weekly.service"].flatMap((name) => nights(read(name)));
    expect(lines).toHaveLength(5);
    const settings = place.file("movedex.toml");
    await runCli(["init", settings]);
    const cronJob = parseAllDocuments(read("cronjob.yaml"))[1]?.toJS() as CronJob;
    const [container] = cronJob.spec.jobTemplate.spec.template.spec.containers;
    for (const words of [...lines, container?.args ?? []]) {
      const { stdout } = await ended(runCli([...words.map((word) => (word === "movedex.toml" ? settings : word)), "--dry-run"]));
      expect(stdout).toMatch(/^(?:movedex (?:sync|verify) |\{"job":"(?:night|week)","dry_run":true,)/);
    }
    expect(readdirSync(place.path)).toEqual(["movedex.toml"]);
  });

  /** What a pod runs; in workers.yaml each kind that has pods has one container. */
  type Pods = { spec: { template?: { spec: { containers: [{ command: string[]; args: string[] }] } } } };
  type Compose = { services: Record<string, { image: string; command: string[] }> };

  test("every command line of workers.yaml and compose.yaml is one that movedex takes", async () => {
    const containers = parseAllDocuments(read("workers.yaml")).flatMap((document) => {
      const { spec } = document.toJS() as Partial<Pods>;
      return spec?.template?.spec.containers ?? [];
    });
    const inPods = containers.map(({ command, args }) =>
      // By a shell, which takes the node of the pod's number.
      command[0] === "sh"
        ? (/exec movedex (.*)$/.exec(args[0] ?? "")?.[1] ?? "").replace('"$1"', "http://127.0.0.1:1/v1").split(" ")
        : args,
    );
    const { services } = parse(read("compose.yaml"), { merge: true }) as Compose;
    const inServices = Object.values(services).flatMap(({ image, command }) => (image === "movedex" ? [command] : []));
    expect([...inPods, ...inServices].map(([name]) => name)).toEqual(["sync", "serve", "sync", "sync", "serve"]);
    for (const words of [...inPods, ...inServices]) {
      // Words that it does not take are refused before the database is asked for.
      const { code, stderr } = await runCli(words, { env: { DATABASE_URL: "postgres://movedex@127.0.0.1:1/movedex" } });
      expect([words, code, stderr]).toEqual([words, 1, expect.stringContaining("no server answers there")]);
    }
  });

  const analyzer = spawnSync("systemd-analyze", ["--version"]).status === 0;
  test.skipIf(!analyzer)("no unit is exposed to more than 2.0 of 10 (skipped without systemd-analyze)", () => {
    const units = readdirSync(`${jobs}/examples`).filter((name) => name.endsWith(".service"));
    expect(units).toHaveLength(4);
    for (const name of units) {
      const args = ["security", "--offline=true", "--threshold=20", `${jobs}/examples/${name}`];
      expect([name, spawnSync("systemd-analyze", args).status]).toEqual([name, 0]);
    }
  });

  test("every pod has no token of the cluster, no place to write without a bound, and a service is asked whether it lives", () => {
    const pods = podsOf(["workers.yaml", "cronjob.yaml"].flatMap((name) => parseAllDocuments(read(name))));
    expect(pods).toHaveLength(3);
    for (const pod of pods) expectHarmlessPod(pod);
    const served = pods.flatMap(({ containers }) => containers).find(({ args }) => args[0] === "serve");
    expect(served?.envFrom?.[0]?.secretRef.name).toBe("movedex-reader");
  });

  test("the CronJob never runs two at once, and does not repeat what a second try cannot mend", () => {
    const [claim, job] = parseAllDocuments(read("cronjob.yaml")).map((document) => document.toJS() as CronJob);
    expect([claim?.kind, job?.kind]).toEqual(["PersistentVolumeClaim", "CronJob"]);
    const { jobTemplate, concurrencyPolicy } = (job as CronJob).spec;
    const pod = jobTemplate.spec.template.spec;
    expect([concurrencyPolicy, pod.restartPolicy, pod.volumes[0]?.persistentVolumeClaim?.claimName]).toEqual([
      "Forbid",
      "Never",
      claim?.metadata.name,
    ]);
    expect(jobTemplate.spec.podFailurePolicy.rules[0]?.onExitCodes).toEqual({
      containerName: pod.containers[0]?.name,
      operator: "In",
      values: [1, 2, 3, 4, 6, 64],
    });
    for (const { name } of pod.containers[0]?.volumeMounts ?? []) expect(pod.volumes.map((volume) => volume.name)).toContain(name);
  });

  const canAnalyze = has("systemd-analyze");
  test.skipIf(!canAnalyze)(`systemd takes the units${canAnalyze ? "" : " (skipped: no systemd-analyze here)"}`, async ({ place }) => {
    const units = readdirSync(`${jobs}/examples`).filter((name) => /\.(service|timer)$/.test(name));
    // It wants the program to be there.
    for (const name of units) writeFileSync(place.file(name), read(name).replaceAll("/usr/local/bin/movedex", "/bin/true"));
    const paths = units.filter((name) => !name.includes("@")).map((name) => place.file(name));
    const { code, stdout, stderr } = await runProcess("systemd-analyze", ["verify", "--man=no", "--recursive-errors=no", ...paths]);
    expect([code, stdout + stderr]).toEqual([0, ""]);
    const calendars = units.flatMap((name) => [...read(name).matchAll(/^OnCalendar=(.*)$/gm)].map(([, words = ""]) => words));
    for (const words of calendars) await ended(runProcess("systemd-analyze", ["calendar", words]));
  });
});

type CronJob = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly concurrencyPolicy: string;
    readonly jobTemplate: {
      readonly spec: {
        readonly podFailurePolicy: { readonly rules: readonly { readonly onExitCodes?: unknown }[] };
        readonly template: {
          readonly spec: {
            readonly restartPolicy: string;
            readonly containers: readonly {
              readonly name: string;
              readonly args: string[];
              readonly volumeMounts: readonly { readonly name: string }[];
            }[];
            readonly volumes: readonly { readonly name: string; readonly persistentVolumeClaim?: { readonly claimName: string } }[];
          };
        };
      };
    };
  };
};

function has(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
