import type { FailLevel } from "../../../abi/compare/severity.ts";
import type { NodeGeneration } from "../../../abi/node-json/format.ts";
import { openModuleArchive } from "../../../archive/read/module-archive.ts";
import { closing } from "../../../base/closing.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { Address } from "../../../move/address.ts";
import { archiveLedger } from "../../../questions/check/archive-ledger.ts";
import { type BuildCheck, checkBuild, verdictOf } from "../../../questions/check/build-check.ts";
import type { Io } from "../../io.ts";
import { githubNotices, sarifLog } from "../../output/notices.ts";
import { painter, wantsColour } from "../../output/paint.ts";
import { openBuild } from "./build-folder.ts";
import { checkJson, checkJunit, checkNotices } from "./machines.ts";
import { sourcePlaces } from "./sources.ts";
import { checkText } from "./text.ts";

/** The command line of `check`, parsed. */
export type CheckFlags = {
  readonly against?: string;
  readonly at?: string;
  readonly first?: boolean;
  readonly nodeGeneration?: NodeGeneration;
  readonly failOn: FailLevel;
  readonly format: "text" | "json" | "junit" | "github" | "sarif";
  readonly json?: boolean;
};

/** Runs `check`; gives the row of the exit code table that it ends with. @throws ConfigError, NotHeldError, StoreError */
export async function runCheck(io: Io, path: string, database: string, flags: CheckFlags): Promise<ExitName> {
  const build = openBuild(path);
  await using archive = closing(await openModuleArchive(database));
  const accounts = new Set(Array.from(build.modules.modules.values(), ({ address }) => address));
  const empty = flags.first === true ? accounts : new Set<Address>();
  const ledger = await archiveLedger(archive, { at: flags.at, empty, generation: flags.nodeGeneration });
  const check = await checkBuild(build, ledger, flags.failOn);
  await io.stdout(print(io, check, build.folder, flags));
  return verdictOf(check);
}

function print(io: Io, check: BuildCheck, folder: string, { format }: CheckFlags): string {
  switch (format) {
    case "json":
      return checkJson(check);
    case "junit":
      return checkJunit(check);
    case "github":
      return githubNotices(checkNotices(check), sourcePlaces(folder));
    case "sarif":
      return sarifLog(checkNotices(check), sourcePlaces(folder));
    case "text":
      return checkText(check, painter(wantsColour(io)));
  }
}
