import { expect } from "vitest";
import { faults, type SimNode, startSimNode } from "../../../../sim/index.ts";
import { asWords } from "../../../support/command/as-words.ts";
import { ended } from "../../../support/command/ended.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { runCli } from "../../../support/run-cli.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";
import type { TwoNights } from "../../../support/two-nights.ts";

/** How many accounts are read at once with each seed. */
export const concurrencyOf = (seed: number): number => [1, 4, 16][seed % 3] as number;

async function readBothNights({ targetsFile, first, second }: TwoNights, node: SimNode, db: string, concurrency: number) {
  using place = temporaryDirectory();
  const targets = targetsFile(place.file("targets.csv"));
  const pace = asWords`--rate 0 --concurrency ${concurrency} --page-size 2`;
  const summaries: Record<string, unknown>[] = [];
  for (const version of [first, second]) {
    const argv = asWords`sync --rpc ${node.url} --db ${db} --targets ${targets} --ledger-version ${version} --json ${pace}`;
    summaries.push((await ended(runCli(argv, { clock: new ManualClock({ skipSleeps: true }) }))).json());
  }
  return summaries;
}

/** Reads both nights from a node that answers well. */
export async function readQuietNights(scene: TwoNights, db: string): Promise<void> {
  await using node = await startSimNode({ ledger: scene.ledger });
  await readBothNights(scene, node, db, 4);
}

/** Reads both nights from a node of whose answers a fifth is faulty; they are sealed without a gap. */
export async function readFaultyNights(scene: TwoNights, db: string, seed: number): Promise<void> {
  const plan = faults.mixedFaults({ seed, holdMs: 4, longWaits: true });
  await using node = await startSimNode({ ledger: scene.ledger, faults: plan });
  const summaries = await readBothNights(scene, node, db, concurrencyOf(seed));
  const good = { status: "sealed", gaps: 0, accounts: scene.addresses.length };
  expect(summaries).toMatchObject([good, good]);
  expect(summaries.reduce((sum, { retries }) => sum + (retries as number), 0)).toBeGreaterThan(20);
}
