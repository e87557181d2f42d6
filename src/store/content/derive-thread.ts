import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { openSqlite } from "../connection/open-sqlite.ts";
import { BATCH_BESIDE, BatchOrder } from "./beside/batch-order.ts";
import { LogFolding } from "./beside/log-folding.ts";
import type { ThreadMessage } from "./beside/thread-beside.ts";
import { WriteTurn } from "./beside/write-turn.ts";
import { prepareDerive } from "./derive.ts";
import type { DerivingThread } from "./derive-beside.ts";
import { wordIndexOf } from "./words/search-index.ts";

// The thread of `withDerivingBeside`: derives what waits in the file whenever there is a batch of it, and the rest at the end. What
// it cannot decode stays waiting, since only the other thread can ask the node.
const { path, turn: shared, self, order } = workerData as DerivingThread;
const port = parentPort as MessagePort;
const { engine, close } = openSqlite(path, { mode: "join" });
const folding = new LogFolding(engine);
await folding.begin();
const turn = new WriteTurn(self, shared, folding);
const deriving = prepareDerive(engine, wordIndexOf(engine), (work) => turn.run(work)).beginBeside({
  batch: BATCH_BESIDE,
  order: new BatchOrder(order),
});

let isEnding = false;
let work = Promise.resolve();
port.on("message", (message: ThreadMessage) => {
  isEnding ||= message === "end";
  work = work.then(async () => {
    await deriving.go({ isEnding });
    if (message !== "end") return;
    close();
    port.close();
  });
});
