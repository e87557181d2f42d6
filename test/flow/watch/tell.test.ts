import { readFileSync, writeFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSampleLedger, type SampleLedger, type SimNode, startSimNode } from "../../../sim/index.ts";
import { exchangeAddress } from "../../../sim/sample/exchange.ts";
import type { AlertMessage } from "../../../src/capabilities/watch/tell/message.ts";
import { takeLock } from "../../../src/core/db/engine/sqlite/lock.ts";
import { type Receiver, startReceiver } from "../../capabilities/watch/tell/support/receiver.ts";
import { ended, ManualClock, quickArchive, rowsOf, runCli, temporaryDirectory } from "../../support/index.ts";
import { listedSample } from "./support/listed-sample.ts";

describe("telling of a night's alerts", () => {
  let sample: SampleLedger;
  let node: SimNode;
  let receiver: Receiver;
  let place: ReturnType<typeof temporaryDirectory>;
  let clock: ManualClock;
  let db: string;
  let settings: string;
  let env: Record<string, string>;
  const pool = `${exchangeAddress}::pool`;

  const run = (...argv: string[]) => runCli([...argv, "--db", db], { env, clock });
  const night = (...argv: string[]) => runCli(["night", "--config", settings, "--slices", "0", ...argv], { env, clock });

  beforeEach(async () => {
    sample = createSampleLedger();
    node = await startSimNode({ ledger: sample.ledger });
    receiver = await startReceiver();
    place = temporaryDirectory();
    clock = new ManualClock({ startMs: Date.now(), skipSleeps: true });
    db = await quickArchive(place.file("night.db"));
    settings = place.file("movedex.toml");
    env = { TEAM_HOOK: receiver.url, HOOK_KEY: "a key between us" };
    writeFileSync(
      settings,
      `[sample]\nrpc = "${node.url}"\nrate = 0\ndb = "night.db"\nwebhook-env = "TEAM_HOOK"\nwebhook-secret-env = "HOOK_KEY"\n` +
        `[sample.tell]\nalerts-file = "alerts.jsonl"\npages-url = "https://archive.example/explorer"\n`,
    );
    await listedSample(db, sample, node.url);
    await run("watch", "add", pool, "--for", "clients");
    sample.passDay();
  });
  afterEach(async () => {
    await node?.close();
    await receiver?.[Symbol.asyncDispose]();
    place?.[Symbol.dispose]();
  });

  test("a program that is told sees none of the variables in which the settings file says that secrets are", async () => {
    const [program, seen] = [place.file("told.sh"), place.file("environment")];
    writeFileSync(program, `#!/bin/sh\ncat > /dev/null\nenv > ${seen}\n`, { mode: 0o755 });
    await ended(runCli(["sync", "--config", settings], { env, clock }));
    await ended(
      runCli(["tell", "--config", settings, "--exec", program], {
        env: { ...env, TEAM: "core", PATH: process.env["PATH"] as string },
        clock,
      }),
    );
    const variables = readFileSync(seen, "utf8");
    expect(variables).toContain("TEAM=core\n");
    for (const secret of ["TEAM_HOOK", "HOOK_KEY", "a key between us", receiver.url]) expect(variables).not.toContain(secret);
  });

  test("what changed at which exact version, and where to look; signed, once", async () => {
    const { stdout, stderr } = await ended(night());
    expect(stdout).toMatch(/^night: sealed ledger version .*, 1 alert told, head [^.]* old\n$/);
    const [request = expect.fail("nothing came"), ...more] = receiver.received;
    expect(more).toEqual([]);
    const message = new Webhook("a key between us", { format: "raw" }).verify(
      request.body,
      request.headers as Record<string, string>,
    ) as AlertMessage;
    expect(message).toMatchObject({
      is_exact: true,
      after_version: `${BigInt(message.at_or_before_version) - 1n}`,
      // Between the two nights' heads, whose times are known.
      ledger_time: expect.stringMatching(/^2026-01-04T/),
      link: `https://archive.example/explorer/diff/${exchangeAddress}/pool?from=2592000&to=3456004`,
    });
    expect(readFileSync(place.file("alerts.jsonl"), "utf8").split("\n")).toHaveLength(2);
    expect(stderr + stdout).not.toMatch(/S3CRET|hidden|a key between us/);
    await night();
    const again = await ended(run("tell", "--again", "1", "--webhook", receiver.url));
    expect(again.stderr).toContain("the option --again is gone: `--replay VERSION` sends the changes after a ledger version once more.\n");
    expect(receiver.received).toHaveLength(1);
  });

  test("a dead receiver fails no night, and is said in its one line; the next night tells", async () => {
    receiver.behave = () => "die";
    const { stdout, stderr } = await ended(night());
    expect(stdout).toMatch(/, 1 alert told, .*\. 1 alert not told yet\n$/);
    expect(stderr).toContain("did not get every alert");
    expect(stderr + stdout).not.toMatch(/S3CRET|hidden|a key between us/);
    expect((await night("--dry-run")).stdout).not.toMatch(/S3CRET|hidden|a key between us/);
    receiver.behave = () => ({ status: 200 });
    const before = receiver.received.length;
    await clock.advance(86_400_000);
    const next = await night("--json");
    expect(next.json()).toMatchObject({ steps: expect.arrayContaining([expect.objectContaining({ name: "tell", told: 1, waiting: 0 })]) });
    expect(receiver.received.slice(before)).toHaveLength(1);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const told = rowsOf(db, "SELECT told_at, waiting FROM alerts");
    expect(told).toMatchObject([{ waiting: 0, told_at: expect.stringMatching(/Z$/) }]);
  });

  test("tells beside a run that holds the lock, and one at a time", async () => {
    await run("sync", "--rpc", node.url, "--rate", "0");
    const writing = takeLock(db, 0);
    const { code, stdout } = await run("tell", "--webhook", receiver.url);
    writing.release();
    expect([code, stdout]).toEqual([0, expect.stringContaining("1 alert told")]);
    const telling = takeLock(db, 0, "tell");
    await ended(run("tell", "--webhook", receiver.url), 5);
    telling.release();
  });

  test("what is watched can be changed beside a run that holds the lock, which judges it at its end", async () => {
    const writing = takeLock(db, 0);
    const added = await run("watch", "add", "0x1::coin", "--since", "oldest");
    const removed = await run("watch", "remove", "1");
    writing.release();
    expect([added.code, removed.code], added.stderr + removed.stderr).toEqual([0, 0]);
    expect(added.stdout).not.toContain("in what is held");
    expect(added.stderr).toContain("another run is at work, so this counts from the next run on");
    expect((await run("watch", "list", "--jsonl")).stdout.trimEnd().split("\n")).toHaveLength(1);
  });

  describe("places that the settings file names", () => {
    const named = (...lines: string[]): void =>
      writeFileSync(settings, [`[sample]\nrpc = "${node.url}"\nrate = 0\ndb = "night.db"`, ...lines].join("\n"));
    const team = `[sample.tell.team]\nwebhook-env = "TEAM_HOOK"\nwebhook-secret-env = "HOOK_KEY"`;

    test("what waits for a place that is no longer named is said, and can be told to another", async () => {
      named(team);
      receiver.behave = () => ({ status: 404 });
      await night();
      const file = place.file("other.jsonl");
      const told = await run("tell", "--alerts-file", file);
      expect(told.stderr).toContain("1 alert waits for `team`, which is not told: name it, or send them to another receiver with --replay");
      expect(readFileSync(file, "utf8").split("\n")).toHaveLength(2);
      expect((await run("tell", "--replay", "oldest", "--alerts-file", file)).stderr).not.toContain("waits for");
      expect(readFileSync(file, "utf8").split("\n")).toHaveLength(3);
      expect((await run("tell", "--replay", "oldest")).stderr).toContain("--replay needs a receiver");
    });

    test("a night of a file of 0.1.0 names what went, tells the receivers that are still there, and ends as it would", async () => {
      named(
        'smtp-env = "NOT_SET"\nquiet-hours = "22:00-07:00"',
        '[sample.tell]\nmail-to = ["me@example.org", "you@example.org"]\nmail-from = "movedex@example.org"\ndigest = "module"',
        '[sample.tell.morning]\nmail-to = ["me@example.org"]\nsmtp-env = "SMTP"\nquiet-hours = "22:00-07:00"',
        ...["discord", "alertmanager", "pagerduty"].map(
          (format) => `[sample.tell.${format}]\nwebhook-env = "TEAM_HOOK"\nwebhook-format = "${format}"`,
        ),
        '[sample.tell.kept]\nalerts-file = "kept.jsonl"\ndigest = "none"',
      );
      const { stdout, stderr } = await ended(night());
      expect(stdout).toMatch(/^night: sealed ledger version .*, 1 alert told, /);
      const lines = stderr.split("\n").filter((line) => line.startsWith("movedex: "));
      const mail = "a program that `--exec` runs can send mail.";
      const relay = "a relay, or a program that `--exec` runs, can turn the format `json` into it.";
      expect(lines.toSorted()).toEqual(
        [
          `movedex: the variable MOVEDEX_SMTP_URL (\`smtp-env\` in a settings file) is gone: ${mail}`,
          ...["mail-to", "mail-from"].map((name) => `movedex: the option --${name} is gone: ${mail}`),
          "movedex: the option --digest is gone: each receiver gets one message a run.",
          "movedex: the option --quiet-hours is gone: alerts are sent when `tell` runs, by `night` or by itself.",
          `movedex: the receiver \`morning\` of the settings file gets nothing, since mail is gone: ${mail}`,
          "movedex: the receiver `discord` of the settings file gets nothing, since the format discord is gone: Discord takes the format `slack` at its webhook's address with `/slack` at the end.",
          `movedex: the receiver \`alertmanager\` of the settings file gets nothing, since the format alertmanager is gone: ${relay}`,
          `movedex: the receiver \`pagerduty\` of the settings file gets nothing, since the format pagerduty is gone: ${relay}`,
          "movedex: the key digest of the receiver `kept` of the settings file is gone: each receiver gets one message a run.",
        ].toSorted(),
      );
      expect(readFileSync(place.file("kept.jsonl"), "utf8").trimEnd().split("\n")).toHaveLength(1);
      expect(receiver.received).toEqual([]);
    });

    test.each([
      ['[tell.team]\nexec = ["true"]\nalerts-file = "a"', /`team` of the settings file has several of .*\. Give one/],
      ['[tell.team]\nlevel = "dangerous"', /`team` of the settings file has none of .*\. Give one/],
      ['[tell.team]\nwebhook = "https://hooks.example/S3CRET"', /write `webhook-env = "NAME"`/],
      ['[tell.team]\nwebhok-env = "TEAM_HOOK"', /\[sample\.tell\.team\] has an unknown key `webhok-env`.*webhook-env/],
      ['[tell.team]\nlevel = "awful"\nalerts-file = "a"', /level.*Allowed choices are breaking/],
      ['[tell.team]\nwebhook-format = "teams"\nwebhook-env = "TEAM_HOOK"', /webhook-format.*Allowed choices are json, slack/],
      ['[tell.team]\nwebhook-env = "NOT_SET"', /`webhook-env` names the environment variable `NOT_SET`, which is not set/],
    ])("%j is refused before anything is told", async (table, words) => {
      named(table.replace("[tell", "[sample.tell"));
      const { stderr } = await ended(runCli(["tell", "--config", settings], { env, clock }), 64);
      expect(stderr).toMatch(words);
      expect(stderr).not.toContain("S3CRET");
    });
  });
});
