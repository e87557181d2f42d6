import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { commandsToRead, fullName, helpOf, programToRead } from "../../../scripts/docs/commands.ts";
import { createSampleLedger, startSimNode, writeModule } from "../../../sim/index.ts";
import { networks } from "../../../src/core/node/networks.ts";
import { ended } from "./command-lines.ts";

type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };
/** Runs the words of a command line in the folder of the examples. */
type Run = (words: readonly string[]) => Promise<Outcome>;

/** A line at the end of a command's help; an empty one where the help has none. */
export type HelpExample = { readonly name: string; readonly line: string };

const sample = createSampleLedger();

function writeBuild(folder: string): void {
  const built = join(folder, "build/MyPackage/bytecode_modules");
  mkdirSync(built, { recursive: true });
  writeFileSync(join(built, "mine.mv"), writeModule({ address: sample.codeAccounts[0] as string, name: "mine" }));
}

/** What an example needs that no command before it made, by the command's name. */
const preparations: Readonly<Record<string, (folder: string) => unknown>> = {
  "targets import": (folder) => writeFileSync(join(folder, "accounts.csv"), "address\n0x1\n"),
  restore: (folder) => {
    const backups = join(folder, "backups");
    const copy = readdirSync(backups).find((name) => name.endsWith(".db.zst")) ?? expect.fail("backup made no copy");
    if (!existsSync(join(backups, "night-20260701.db.zst"))) cpSync(join(backups, copy), join(backups, "night-20260701.db.zst"));
  },
  import: (folder) => cpSync(join(folder, "night.db"), join(folder, "other.db")),
  check: writeBuild,
  lock: (folder) => {
    writeBuild(folder);
    // What another test of the same folder wrote is there already.
    rmSync(join(folder, "movedex.lock"), { force: true });
  },
  decode: (folder) => writeFileSync(join(folder, "coin.mv"), writeModule({ address: "0x1", name: "coin" })),
};

/** Commands that run until they are told to stop. */
export const servers: ReadonlySet<string> = new Set(["serve", "open"]);

/**
 * Exit codes other than 0 that are an example's true answer about the sample ledger. It stands still, so where an example
 * before took its newest version there is no newer state.
 */
const answers: Readonly<Record<string, readonly number[]>> = { diff: [0, 100], sync: [0, 7], night: [0, 7] };

/** The exit codes that an example may end with. */
export function answersOf(name: string): readonly number[] {
  return [...(answers[name] ?? [0]), ...(servers.has(name) ? [143] : [])];
}

/** The examples at the end of every command's help, in an order in which each finds what it needs. */
export async function helpExamples(): Promise<HelpExample[]> {
  const examples = commandsToRead(await programToRead()).flatMap((command) => {
    const name = fullName(command);
    const lines = [...helpOf(command).matchAll(/^ {2}\$ (.*)$/gm)].map((match) => match[1] as string);
    return lines.length === 0 ? [{ name, line: "" }] : lines.map((line) => ({ name, line }));
  });
  // Backfill leaves accounts unread that it can infer, and `diff` then rightly says that it cannot compare these.
  return examples.toSorted((a, b) => Number(a.name === "backfill") - Number(b.name === "backfill"));
}

/** A simulated node, of which `night.db` in a folder has two nights: what the examples are run with. */
export class ExampleScene implements AsyncDisposable {
  readonly #node;
  readonly #folder: string;

  static async open(folder: string, run: Run): Promise<ExampleScene> {
    const node = await startSimNode({ ledger: sample.ledger });
    mkdirSync(join(folder, "backups"));
    await ended(run(["targets", "add", ...sample.codeAccounts, sample.trader, "--db", "night.db"]));
    const sync = ["sync", "--rpc", node.url, "--db", "night.db", "--rate", "0"];
    await ended(run(sync));
    sample.passDay();
    await ended(run(sync));
    return new ExampleScene(node, folder);
  }

  private constructor(node: Awaited<ReturnType<typeof startSimNode>>, folder: string) {
    this.#node = node;
    this.#folder = folder;
  }

  /** Makes what an example needs. @returns its words as a shell would part them, with the simulated node in place of every other */
  prepare({ name, line }: HelpExample): string[] {
    expect(line, "help without an example").not.toBe("");
    preparations[name]?.(this.#folder);
    const inner = /^eval "\$\((.*)\)"$/.exec(line)?.[1] ?? line;
    const [own = ""] = inner.split(" | ");
    const words = [...own.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? (match[3] as string));
    expect(words[0]).toBe("movedex");
    // A settings file is made for networks by name; nothing is asked of them.
    if (words[1] === "init") return words.slice(1);
    return words.slice(1).flatMap((word, i) => {
      if (word === "http://127.0.0.1:8080/v1") return [this.#node.url];
      if (word === "--network") return ["--rpc", this.#node.url, "--rate", "0"];
      if (words[i] === "--network") {
        expect(Object.keys(networks), "names of networks").toContain(word);
        return [];
      }
      return [word];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#node.close();
  }
}
