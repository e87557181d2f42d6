import { parentPort, workerData } from "node:worker_threads";
import { openPageArchive } from "../page-archive.ts";
import { type MadeFile, stageFiles } from "./site-files.ts";
import type { SiteUnit } from "./site-links.ts";
import { makeUnit } from "./site-page-maker.ts";
import type { SiteWorld } from "./site-world.ts";

/** What a thread of a site is begun with: its share of the modules and accounts. */
export type SiteShare = {
  readonly path: string;
  readonly directory: string;
  readonly world: SiteWorld;
  readonly baseUrl: string | undefined;
  readonly units: readonly SiteUnit[];
};

// A thread of `movedex site` (`make-site.ts`): it makes its share of the files and says after each part what became of it.
const port = parentPort;
if (port !== null) {
  const { path, directory, world, baseUrl, units } = workerData as SiteShare;
  const archive = await openPageArchive(path);
  const put = stageFiles(directory);
  const surroundings = { archive, world, baseUrl };
  try {
    for (const unit of units) port.postMessage((await makeUnit(surroundings, put, unit)) satisfies readonly MadeFile[]);
  } finally {
    await archive.close();
  }
}
