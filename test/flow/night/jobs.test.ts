import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { createSampleLedger, faults, type PlannedFault, startSimNode } from "../../../sim/index.ts";
import { asWords, changeFile, ended, nodeOfFile, quickArchive, runCli, runProcess, temporaryDirectory, test } from "../../support/index.ts";

const jobs = fileURLToPath(new URL("../../../jobs", import.meta.url));

type StepOfSummary = { readonly name: string; readonly exit: string; readonly exit_code: number | null } & Record<string, unknown>;
type Summary = { readonly exit: string; readonly steps: readonly StepOfSummary[] };

const namesAndExits = ({ steps }: Summary): string[] => steps.map(({ name, exit }) => `${name}: ${exit}`);

describe("night", async () => {
  const sample = createSampleLedger();
  const node = await nodeOfFile({ ledger: sample.ledger });

  test("what a night sealed that was killed before its report is in the next night's, which did something even if the node has nothing newer", async () => {
    const ledger = createSampleLedger();
    await using own = Object.assign(await startSimNode({ ledger: ledger.ledger }), { place: temporaryDirectory() });
    const [db, out] = [own.place.file("night.db"), own.place.file("new.md")];
    const reading = ["--rpc", own.url, "--rate", "0", "--db", db];
    const night = () => runCli(["night", ...reading, "--json", "--report", out]);
    await runCli(["targets", "add", ...ledger.codeAccounts, ledger.trader, "--db", await quickArchive(db)]);
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
    const written = readFileSync(out, "utf8");
    const third = await night();
    expect([third.code, third.stderr.includes("in no report yet")]).toEqual([7, false]);
    expect(readFileSync(out, "utf8")).toBe(written);
    expect((await runCli(["report", "--db", db])).stdout).toContain("\n1 module breaks somebody, 1 may, 1 does not.\n");
    own.place[Symbol.dispose]();
  });

  test("what the first night to report sealed is in the next one's report, if it was killed before its own", async ({ place }) => {
    const ledger = createSampleLedger();
    await using own = await startSimNode({ ledger: ledger.ledger });
    const [db, out] = [place.file("night.db"), place.file("new.md")];
    const reading = ["--rpc", own.url, "--rate", "0", "--db", db];
    await runCli(["targets", "add", ...ledger.codeAccounts, ledger.trader, "--db", await quickArchive(db)]);
    await ended(runCli(["sync", ...reading]));
    ledger.passDay();
    await ended(runCli(["sync", ...reading]));
    ledger.ledger.advance(1000n);
    await ended(runCli(["night", ...reading, "--report", out]));
    expect(readFileSync(out, "utf8")).toContain("\n1 module breaks somebody, 1 may, 1 does not.\n");
  });

  test("what an account changed that answers late is in the report of the night that hears it", async ({ place }) => {
    const ledger = createSampleLedger();
    const [db, out, account] = [place.file("night.db"), place.file("new.md"), ledger.codeAccounts[1]];
    const broken = {
      fault: faults.storageFailure("noIndexer"),
      match: ({ target }: { readonly target: string }) => target.includes(`/${account}/modules`),
    };
    const night = async (...planned: readonly PlannedFault[]) => {
      await using own = await startSimNode({ ledger: ledger.ledger, faults: faults.planFaults(planned) });
      return await ended(runCli(["night", "--rpc", own.url, "--rate", "0", "--trace-requests", "0", "--db", db, "--report", out]));
    };
    await runCli(["targets", "add", ...ledger.codeAccounts, "--db", await quickArchive(db)]);
    await night();
    ledger.passDay();
    expect((await night(broken)).stdout).toMatch(/2 modules changed, 1 gap/);
    expect(readFileSync(out, "utf8")).not.toContain("::badge");
    for (const changed of [1, 0]) {
      ledger.ledger.advance(1000n);
      expect((await night()).stdout).toContain(`${changed} module${changed === 1 ? "" : "s"} changed, no gaps`);
      expect(readFileSync(out, "utf8").includes("::badge`: a variant was appended to `Rank`")).toBe(changed === 1);
    }
    // All that is left of a night that is killed right after late answers: the next one, and no other, names the command for them.
    ledger.ledger.advance(1000n);
    await night(broken);
    await using own = await startSimNode({ ledger: ledger.ledger });
    ledger.ledger.advance(1000n);
    await ended(runCli(["sync", "--rpc", own.url, "--rate", "0", "--db", db]));
    for (const [moves, isTold] of [
      [1000n, true],
      [1000n, false],
      [0n, false],
    ] as const) {
      ledger.ledger.advance(moves);
      await runCli(["night", "--rpc", own.url, "--rate", "0", "--trace-requests", "0", "--db", db, "--report", out]);
      const words = "1 older snapshot read or completed; a report from before them: `movedex report --since";
      expect(readFileSync(out, "utf8").includes(words)).toBe(isTold);
      expect(readFileSync(out, "utf8").includes("older snapshot")).toBe(isTold);
    }
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
    const steps = "sync: stale, trace: done, gaps: done, verify: corrupt, backup: left out, report: done";
    expect(namesAndExits(json() as Summary).join(", ")).toBe(steps);
    expect(readFileSync(copy).equals(before)).toBe(true);
    await ended(runCli(["night", "--weekly", "--db", db]), 6);
  });

  test("--dry-run quotes what a shell would part, and writes nothing", async ({ place }) => {
    const db = place.file("it's night.db");
    const { stdout } = await ended(runCli(asWords`night --network aptos-mainnet --db ${db} --dry-run`));
    const quoted = `'${db.replace("'", "'\\''")}'`;
    expect(stdout).toContain(`movedex sync --network aptos-mainnet --encoding auto --db ${quoted} --json\n`);
    expect(readdirSync(place.path)).toEqual([]);
  });

  test("--dry-run prints an option once, where that of the night stands over a step's own", async ({ place }) => {
    const settings = place.file("movedex.toml");
    writeFileSync(settings, 'network = "aptos-mainnet"\n[sync]\nencoding = "json"\n[trace]\nmax-requests = 7\n');
    const words = ["--config", settings, "--db", place.file("night.db"), "--dry-run"];
    const { stdout } = await ended(runCli(["night", ...words]));
    expect(stdout).toContain("movedex trace ");
    for (const line of stdout.trim().split("\n")) {
      const options = line.match(/--[a-z-]+/g) ?? [];
      expect(options, line).toEqual([...new Set(options)]);
    }
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

  /** What is looked at of Kubernetes' objects. */
  type Pod = {
    readonly restartPolicy?: string;
    readonly volumes: readonly { readonly emptyDir?: { readonly sizeLimit?: string } }[];
    readonly containers: readonly { readonly name: string; readonly command?: readonly string[]; readonly args: readonly string[] }[];
  };
  type Job = { readonly podFailurePolicy: { readonly rules: readonly object[] }; readonly template: { readonly spec: Pod } };
  type Named = { readonly spec?: Partial<Job> & { readonly concurrencyPolicy?: string; readonly jobTemplate?: { readonly spec: Job } } };
  const objectsOf = (name: string): Named[] => parseAllDocuments(read(name)).map((document) => document.toJS() as Named);
  const podsOf = (name: string): Pod[] =>
    objectsOf(name).flatMap(({ spec }) => spec?.template?.spec ?? spec?.jobTemplate?.spec.template.spec ?? []);
  type Compose = { services: Record<string, { image: string; command: string[] }> };

  test("every command line of crontab and services is one that movedex takes", async ({ place }) => {
    const lines = ["crontab", "movedex.service", "movedex-weekly.service"].flatMap((name) => nights(read(name)));
    expect(lines).toHaveLength(5);
    const settings = place.file("movedex.toml");
    await runCli(["init", settings]);
    const [container] = podsOf("cronjob.yaml")[0]?.containers ?? [];
    for (const words of [...lines, container?.args ?? []]) {
      const { stdout } = await ended(runCli([...words.map((word) => (word === "movedex.toml" ? settings : word)), "--dry-run"]));
      expect(stdout).toMatch(/^(?:movedex (?:sync|verify) |\{"job":"(?:night|week)","dry_run":true,)/);
    }
    expect(readdirSync(place.path)).toEqual(["movedex.toml"]);
  });

  test("every command line of workers.yaml and compose.yaml is one that movedex takes", async () => {
    const inPods = podsOf("workers.yaml").flatMap(({ containers }) =>
      containers.map(({ command, args }) =>
        // By a shell, which takes the node of the pod's number.
        command?.[0] === "sh"
          ? (/exec movedex (.*)$/.exec(args[0] ?? "")?.[1] ?? "").replace('"$1"', "http://127.0.0.1:1/v1").split(" ")
          : args,
      ),
    );
    // What stands on a command line, any process can read.
    expect(read("compose.yaml")).not.toMatch(/psql.*PASSWORD/);
    const { services } = parse(read("compose.yaml"), { merge: true }) as Compose;
    const inServices = Object.values(services).flatMap(({ image, command }) => (image === "movedex" ? [command] : []));
    expect([...inPods, ...inServices].map(([name]) => name)).toEqual(["sync", "serve", "sync", "sync", "serve"]);
    for (const words of [...inPods, ...inServices]) {
      // Words that it does not take are refused before the database is asked for.
      const { code, stderr } = await runCli(words, { env: { DATABASE_URL: "postgres://movedex@127.0.0.1:1/movedex" } });
      expect([words, code, stderr]).toEqual([words, 1, expect.stringContaining("no server answers there")]);
    }
  });

  test("every pod has no token of the cluster and no place to write without a bound; a service is asked whether it lives", () => {
    const pods = ["workers.yaml", "cronjob.yaml"].flatMap(podsOf);
    expect(pods).toHaveLength(3);
    for (const pod of pods) {
      expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true, runAsGroup: 10001 } });
      for (const { emptyDir } of pod.volumes) if (emptyDir !== undefined) expect(emptyDir.sizeLimit).toBe("1Gi");
      for (const container of pod.containers) {
        const securityContext = { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false };
        expect(container).toMatchObject({ securityContext, resources: { limits: { memory: "1Gi" } } });
        if (container.args[0] !== "serve") continue;
        expect(container).toMatchObject({
          livenessProbe: { httpGet: { path: "/v1/spec.json" } },
          readinessProbe: { httpGet: { path: "/v1/-/healthy" } },
          envFrom: [{ secretRef: { name: "movedex-reader" } }],
        });
      }
    }
  });

  test("the CronJob never runs two at once, and neither it nor the service repeats what a second try cannot mend", () => {
    const [, job] = objectsOf("cronjob.yaml");
    expect([job?.spec?.concurrencyPolicy, job?.spec?.jobTemplate?.spec.template.spec.restartPolicy]).toEqual(["Forbid", "Never"]);
    const onExitCodes = { containerName: "movedex", operator: "In", values: [2, 3, 4, 6, 64] };
    expect(job?.spec?.jobTemplate?.spec.podFailurePolicy.rules[0]).toMatchObject({ onExitCodes });
    const unit = read("movedex.service");
    // Without a limit it would begin anew for ever, and never be told of as failed.
    expect(unit).toMatch(/^StartLimitIntervalSec=12h\nStartLimitBurst=3$/m);
    expect(unit).toMatch(/^Restart=on-failure\n(?:.*\n)*RestartPreventExitStatus=2 3 4 5 6 64 143$/m);
  });

  test("the weekly check has a ping of its own", () => {
    expect(read("crontab")).toContain('MOVEDEX_PING_URL="$WEEKLY_PING_URL" movedex night --weekly');
    // Were its file missing, the night's URL would be pinged.
    expect(read("movedex-weekly.service").match(/^EnvironmentFile=.*$/gm)).toEqual(["EnvironmentFile=-/etc/movedex-weekly.env"]);
  });

  const canAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0;
  test.skipIf(!canAnalyze)("systemd takes the units, and exposes none to more than 2.0 of 10 (skipped without it)", async ({ place }) => {
    const units = readdirSync(`${jobs}/examples`).filter((name) => /\.(service|timer)$/.test(name));
    // It wants the program to be there.
    for (const name of units) writeFileSync(place.file(name), read(name).replaceAll("/usr/local/bin/movedex", "/bin/true"));
    const analyze = (...words: string[]) => runProcess("systemd-analyze", words);
    const paths = units.filter((name) => !name.includes("@")).map((name) => place.file(name));
    const { code, stdout, stderr } = await analyze("verify", "--man=no", "--recursive-errors=no", ...paths);
    expect([code, stdout + stderr]).toEqual([0, ""]);
    const calendars = units.flatMap((name) => [...read(name).matchAll(/^OnCalendar=(.*)$/gm)].map(([, words = ""]) => words));
    for (const words of calendars) await ended(analyze("calendar", words));
    for (const name of units.filter((unit) => unit.endsWith(".service")))
      await ended(analyze("security", "--offline=true", "--threshold=20", `${jobs}/examples/${name}`));
  });
});
