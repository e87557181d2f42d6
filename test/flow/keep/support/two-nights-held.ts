import { copyFileSync } from "node:fs";
import { asWords, type CliResult, databaseContent, ended, nodeOfFile, runCli, twoNights } from "../../../support/index.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

/** Two nights of a made-up ledger: databases after the first, and after both, for all tests of a file. */
export async function holdTwoNights(count: number, seed = 1) {
  const scene = twoNights(count, seed);
  const node = await nodeOfFile({ ledger: scene.ledger });
  const place = temporaryDirectory();
  const [first, second, targets] = [place.file("first.db"), place.file("night.db"), scene.targetsFile(place.file("targets.csv"))];
  const sync = (db: string, version: bigint, ...more: string[]): Promise<CliResult> =>
    runCli(asWords`sync --rpc ${node.url} --db ${db} --targets ${targets} --ledger-version ${version} --rate 0 --json ${more}`);
  await ended(sync(first, scene.first));
  copyFileSync(first, second);
  await ended(sync(second, scene.second));
  return { scene, node, place, first, second, targets, sync };
}

/** All that a database holds of the ledger, less what is about imports themselves. */
export function heldContent(path: string) {
  const { snapshot_sources: _, ...rest } = databaseContent(path);
  return rest;
}
