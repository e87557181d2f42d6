import { startSimNode } from "../../../../sim/index.ts";
import { copyKeptArchive } from "../../../support/store/kept-archive.ts";
import { crawl } from "./served-archive.ts";
import { type VariedLedger, variedLedger } from "./varied-ledger.ts";

/** Crawls the first so many versions of a varied ledger into a database, all of them if no number is given. */
export async function variedArchive(db: string, nights = Number.POSITIVE_INFINITY): Promise<VariedLedger> {
  const passNights = async (scene: VariedLedger, take: () => unknown = () => {}): Promise<VariedLedger> => {
    for (let night = 0; night < nights && scene.next() !== undefined; night++) await take();
    return scene;
  };
  const makeArchive = async (path: string) => {
    const scene = variedLedger();
    await using node = await startSimNode({ ledger: scene.ledger });
    await passNights(scene, () => crawl(path, node.url, scene.accounts));
  };
  await copyKeptArchive(db, makeArchive, `varied-${nights}.db`);
  return await passNights(variedLedger());
}
