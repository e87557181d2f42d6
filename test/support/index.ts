/** What tests of every room share: command lines, clocks, places, programs and questions to a database's file. */
export { asWords } from "./command/as-words.ts";
export { ended } from "./command/ended.ts";
export { jsonLines } from "./command/json-lines.ts";
export { launcher, runMovedex, startMovedex, wasKilled } from "./command/movedex-process.ts";
export { signalSender } from "./command/signal-sender.ts";
export { type DatabaseContent, databaseContent } from "./database-content.ts";
export { freePort, listen } from "./loopback.ts";
export { ManualClock } from "./manual-clock.ts";
export { type RawResponse, rawRequest } from "./raw-request.ts";
export { type CliResult, runCli } from "./run-cli.ts";
export { runProcess } from "./run-process.ts";
export { listening } from "./scene/listening.ts";
export { nodeOfFile } from "./scene/node-of-file.ts";
export { changeFile, listsOf, rowsOf, valuesOf } from "./store/ask-file.ts";
export { temporaryDirectory } from "./temporary-directory.ts";
export { test } from "./test.ts";
export { type TwoNights, twoNights } from "./two-nights.ts";
