/** What tests of every room share: command lines, clocks, places, programs and questions to a database's file. */
export { asWords, ended, jsonLines, signalSender } from "./command/command-lines.ts";
export { launcher, runMovedex, runProcess, startMovedex, wasKilled } from "./command/movedex-process.ts";
export { type DatabaseContent, databaseContent } from "./database-content.ts";
export { handmade, nameRow, row } from "./handmade.ts";
export { listen } from "./loopback.ts";
export { ManualClock } from "./manual-clock.ts";
export { COUNT, listings, ofAccount, useNights } from "./nights.ts";
export { findBinaries, serverUser } from "./postgres/binaries.ts";
export { cuttingProxy } from "./postgres/cutting-proxy.ts";
export { type RawResponse, rawRequest } from "./raw-request.ts";
export {
  changedModules,
  loadHistory,
  moduleReader,
  neighbours,
  type RecordedRelease,
  readReleases,
  releaseSnapshots,
  upgradedModules,
} from "./recorded-releases.ts";
export { type CliResult, runCli } from "./run-cli.ts";
export { listening } from "./scene/listening.ts";
export { nodeOfFile } from "./scene/node-of-file.ts";
export { type SampleArchive, sampleArchive } from "./scene/sample-archive.ts";
export { modulesIn, modulesOn } from "./scene/standing-modules.ts";
export { describeReleases, testReleases } from "./scene/with-releases.ts";
export { sealModules } from "./sealed-modules.ts";
export { frameworkHistory, nodeAnswers } from "./shared-data.ts";
export { changeFile, listsOf, rowsOf, valuesOf } from "./store/ask-file.ts";
export { copyKeptArchive } from "./store/kept-archive.ts";
export {
  addressOf,
  gone,
  NOON,
  night,
  opaqueModule,
  quickArchive,
  recordOf,
  type SeenAccount,
  temporaryStore,
  writeNewArchive,
} from "./store/temporary-store.ts";
export { temporaryDirectory } from "./temporary-directory.ts";
export { test } from "./test.ts";
export { type TwoNights, twoNights } from "./two-nights.ts";
