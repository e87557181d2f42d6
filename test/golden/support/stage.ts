import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import type { PlannedFault } from "../../../sim/faults/index.ts";
import { createSampleLedger, faults, type SampleLedger, type SimNode, type SimNodeOptions, startSimNode } from "../../../sim/index.ts";
import { formatBytes } from "../../../src/core/base/plural.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import { type CliResult, copyKeptArchive, ended, ManualClock, runCli, temporaryDirectory } from "../../support/index.ts";
import { leaveFewViews, makeAllViews } from "../../support/store/few-views.ts";
import { expectGolden, fixSurroundings, holdsNoOthers, transcript, wordsOf } from "./golden.ts";

/** What `night.db` holds before a command: nothing, the list of accounts, or a night besides, or two. */
type Held = "nothing" | "targets" | "first" | "second";

type RunOptions = NonNullable<Parameters<typeof runCli>[1]>;

/** Where a command acts: an empty folder, in which the process works, the sample ledger, its node, and a clock for all. */
export type Stage = {
  readonly sample: SampleLedger;
  readonly node: SimNode;
  readonly clock: ManualClock;
  readonly run: (line: string, options?: RunOptions) => Promise<CliResult>;
};

/** A command line, what it meets, and what is held of it beside its output. */
export type Scene = {
  readonly line: string | ((stage: Stage) => string);
  readonly held?: Held;
  /** Whether the command, or what is done before it, wants other views than a night does. */
  readonly hasAllViews?: boolean;
  readonly node?: (sample: SampleLedger) => Partial<SimNodeOptions>;
  readonly faults?: (sample: SampleLedger) => readonly PlannedFault[];
  /** How long the node takes for an answer; default a quarter of a second. */
  readonly answerMs?: number;
  readonly before?: (stage: Stage) => unknown;
  readonly options?: RunOptions | (() => RunOptions);
  /** Files that the command writes, whose size and SHA-256 have a name in place of them: they hold what no clock fixes. */
  readonly files?: readonly string[];
  /** Puts names in place of what is of this machine. */
  readonly masks?: (said: string) => string;
  /** What stands below the output: files that the command wrote, or what others received. */
  readonly after?: (stage: Stage) => string | Promise<string>;
  /** The endings of the golden files; default `txt` and `json`. */
  readonly forms?: readonly string[];
};

let place: ReturnType<typeof temporaryDirectory>;
const DAY_MS = 86_400_000;
/** A little after the ledger's newest version at the first night. */
const FIRST_NIGHT_MS = Date.UTC(2026, 0, 4, 0, 0, 2);
let stages = 0;

/** Prepares what the scenes of a file begin with. */
export function useStages(): void {
  fixSurroundings(async () => {
    place = temporaryDirectory();
    for (const held of ["targets", "first", "second"] as const)
      await copyKeptArchive(place.file(`${held}.db`), (path) => prepare(held, path), `stage-${held}.db`);
  });
}

/** Declares tests that hold what the command lines of a folder print: as a person reads it, and as JSON. Each has a stage of its own. */
export function holds(folder: string, scenes: Readonly<Record<string, Scene>>): void {
  // They look whether a database is as it should be.
  const hasAllViews = ["backup", "restore", "verify"].includes(folder);
  for (const [name, scene] of Object.entries(scenes)) {
    test(`${folder}/${name}`, async () => {
      const codes = new Set<number>();
      for (const form of scene.forms ?? ["txt", "json"])
        codes.add(await hold(`${folder}/${name}.${form}`, form, { hasAllViews, ...scene }));
      expect(codes.size, "different exit codes").toBe(1);
    });
  }
  holdsNoOthers(
    folder,
    Object.entries(scenes).flatMap(([name, { forms = ["txt", "json"] }]) => forms.map((form) => `${name}.${form}`)),
  );
}

async function hold(file: string, form: string, scene: Scene): Promise<number> {
  await using stage = await setStage(scene);
  await scene.before?.(stage);
  const plain = typeof scene.line === "function" ? scene.line(stage) : scene.line;
  const line = form === "txt" ? plain : `${plain} --${form}`;
  const { masks = (said) => said } = scene;
  const options = typeof scene.options === "function" ? scene.options() : scene.options;
  const result = await stage.run(line, { ...(form === "txt" && { terminal: 80 }), ...options });
  const more = (await scene.after?.(stage)) ?? "";
  await expectGolden(file, named(scene.files ?? [], masks(form === "txt" ? transcript(line, result) + more : result.stdout)));
  return result.code;
}

/** A text in which sizes and hashes of files, which hold what no clock fixes, have names: only those that are true. So has the folder. */
function named(files: readonly string[], text: string): string {
  return files.reduce(
    (left, name) => {
      const bytes = readFileSync(name);
      const database = name.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes;
      return left
        .replaceAll(sha256Hex(database), `<sha256 of ${name}>`)
        .replaceAll(`"database_bytes":${database.length},`, `"database_bytes":<size of ${name}, unpacked>,`)
        .replaceAll(`"bytes":${bytes.length},`, `"bytes":<size of ${name}>,`)
        .replaceAll(`${formatBytes(bytes.length)} packed`, `<size of ${name}> packed`)
        .replaceAll(`; ${formatBytes(database.length)}`, `; <size of ${name}, unpacked>`);
    },
    text.replaceAll(process.cwd(), "<folder>"),
  );
}

async function setStage(scene: Omit<Scene, "line">): Promise<Stage & AsyncDisposable> {
  const { held = "nothing", hasAllViews = false, answerMs = 250 } = scene;
  const folder = place.file(`${++stages}`);
  mkdirSync(folder);
  process.chdir(folder);
  if (held !== "nothing") copyFileSync(place.file(`${held}.db`), "night.db");
  if (hasAllViews && held !== "nothing") makeAllViews("night.db");
  const sample = createSampleLedger();
  if (held === "second") sample.passDay();
  const clock = new ManualClock({ startMs: FIRST_NIGHT_MS + (held === "second" ? DAY_MS : 0), skipSleeps: true });
  const slowness = { name: "takes time", before: () => void clock.advance(answerMs) };
  const plan = faults.planFaults([{ fault: slowness }, ...(scene.faults?.(sample) ?? [])]);
  const node = await startSimNode({ ledger: sample.ledger, now: clock.now, faults: plan, ...scene.node?.(sample) });
  const run: Stage["run"] = (line, options = {}) => {
    const env = { MOVEDEX_RPC_URL: node.url, DATABASE_URL: "night.db", USER: "ada", NO_COLOR: "1", ...options.env };
    return runCli(wordsOf(line), { clock, ...options, env });
  };
  return { sample, node, clock, run, [Symbol.asyncDispose]: () => node.close() };
}

async function prepare(held: "targets" | "first" | "second", path: string): Promise<void> {
  const before = { targets: "nothing", first: "targets", second: "first" } as const;
  await using stage = await setStage({ held: before[held] });
  const { sample, run } = stage;
  if (held === "second") await passDay(stage);
  await ended(run(held === "targets" ? `targets add ${[...sample.codeAccounts, sample.trader, "0xdead"].join(" ")}` : "sync"));
  leaveFewViews("night.db");
  copyFileSync("night.db", path);
}

/** A day of upgrades passes on the ledger, and on the clock. */
export async function passDay({ sample, clock }: Stage): Promise<void> {
  sample.passDay();
  await clock.advance(DAY_MS);
}

/** Days without a change pass on the ledger, and on the clock. */
export async function passQuietDays({ sample, clock }: Stage, days = 1): Promise<void> {
  sample.ledger.advance(864_000n * BigInt(days));
  await clock.advance(DAY_MS * days);
}

/** Days pass in which the ledger's node stands still. */
export async function passIdleDays({ clock }: Stage, days = 1): Promise<void> {
  await clock.advance(DAY_MS * days);
}
