import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandsToRead, fullName, helpOf } from "../../../scripts/docs/commands.ts";
import { createSampleLedger, type SimNode, startSimNode } from "../../../sim/index.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { networks } from "../../../src/node/networks.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const sample = createSampleLedger();
const home = process.cwd();
const place = temporaryDirectory();
let node: SimNode;

/** What an example needs that no command before it made, by the command's name. */
const preparations: Readonly<Record<string, () => void | Promise<void>>> = {
  "targets import": () => writeFileSync("accounts.csv", "address\n0x1\n"),
  restore: () => {
    const copy = readdirSync("backups").find((name) => name.endsWith(".db.zst")) ?? expect.fail("backup made no copy");
    if (!existsSync("backups/night-20260701.db.zst")) cpSync(`backups/${copy}`, "backups/night-20260701.db.zst");
  },
  import: async () => {
    await ended(runCli(["export", "friends-export", "--db", "night.db"]));
  },
  check: () => {
    mkdirSync("build/MyPackage/bytecode_modules", { recursive: true });
    writeFileSync("build/MyPackage/bytecode_modules/mine.mv", writeModule({ address: sample.codeAccounts[0] as string, name: "mine" }));
  },
  decode: () => writeFileSync("coin.mv", writeModule({ address: "0x1", name: "coin" })),
};

/** Commands that run until they are told to stop. */
const servers = new Set(["serve", "open"]);

/**
 * Exit codes other than 0 that are an example's true answer about the sample ledger. It stands still, so where an example
 * before took its newest version there is no newer state. `work` is for servers alone, and the one in its example is nowhere.
 */
const answers: Readonly<Record<string, readonly number[]>> = { diff: [0, 100], sync: [0, 7], night: [0, 7], work: [1] };

beforeAll(async () => {
  node = await startSimNode({ ledger: sample.ledger });
  process.chdir(place.path);
  mkdirSync("backups");
  await runCli(["targets", "add", ...sample.codeAccounts, sample.trader, "--db", "night.db"]);
  const sync = ["sync", "--rpc", node.url, "--db", "night.db", "--rate", "0"];
  await runCli(sync);
  sample.passDay();
  await ended(runCli(sync));
});
afterAll(async () => {
  process.chdir(home);
  await node?.close();
});

type Example = { readonly name: string; readonly line: string };

/** The examples at the end of every command's help, in the order of the program. */
function examples(): Example[] {
  return commandsToRead().flatMap((command) => {
    const name = fullName(command);
    const lines = [...helpOf(command).matchAll(/^ {2}\$ (.*)$/gm)].map((match) => match[1] as string);
    return lines.length === 0 ? [{ name, line: "" }] : lines.map((line) => ({ name, line }));
  });
}

/** The words of a command line as a shell would part them, with the simulated node in place of every other. */
function wordsOf(line: string): string[] {
  const inner = /^eval "\$\((.*)\)"$/.exec(line)?.[1] ?? line;
  const [own = ""] = inner.split(" | ");
  const words = [...own.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? (match[3] as string));
  expect(words[0]).toBe("movedex");
  // A settings file is made for networks by name; nothing is asked of them.
  if (words[1] === "init") return words.slice(1);
  return words.slice(1).flatMap((word, i) => {
    if (word === "http://127.0.0.1:8080/v1") return [node.url];
    if (word === "--network") return ["--rpc", node.url, "--rate", "0"];
    if (words[i] === "--network") {
      expect(Object.keys(networks), "names of networks").toContain(word);
      return [];
    }
    return [word];
  });
}

describe("the examples in the help", () => {
  // Backfill leaves accounts unread that it can infer, and `diff` then rightly says that it cannot compare these.
  const inOrder = examples().toSorted((a, b) => Number(a.name === "backfill") - Number(b.name === "backfill"));
  test.each(inOrder)("$name: $line", async ({ name, line }) => {
    expect(line, "help without an example").not.toBe("");
    await preparations[name]?.();
    let stop: (() => void) | undefined;
    const run = runCli(wordsOf(line), {
      env: { DATABASE_URL: "night.db", BROWSER: "true" },
      // Without --rate a night keeps the node's pace, which is no part of what is shown here.
      ...(name === "backfill" ? { clock: new ManualClock({ skipSleeps: true, startMs: Date.now() }) } : {}),
      signals: (deliver) => {
        stop = () => deliver("SIGTERM");
      },
    });
    if (servers.has(name)) {
      await expect.poll(() => stop).toBeDefined();
      stop?.();
    }
    const { code, stderr } = await run;
    expect([...(answers[name] ?? [0]), ...(servers.has(name) ? [143] : [])], stderr).toContain(code);
  });
});
