import { startSimNode } from "../../../../sim/index.ts";
import { crawl } from "./served-archive.ts";
import { type VariedLedger, variedLedger } from "./varied-ledger.ts";

/** Crawls the first so many versions of a varied ledger into a database, all of them if no number is given. */
export async function variedArchive(db: string, nights = Number.POSITIVE_INFINITY): Promise<VariedLedger> {
  const scene = variedLedger();
  await using node = await startSimNode({ ledger: scene.ledger });
  for (let night = 0; night < nights && scene.next() !== undefined; night++) await crawl(db, node.url, scene.accounts);
  return scene;
}
