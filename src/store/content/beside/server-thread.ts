import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { openBesideWorker } from "../../connection/open-server.ts";
import { turnEngine } from "../../work/fenced-engine.ts";
import { releaseLease, takeTurn } from "../../work/leases.ts";
import { BATCH, prepareDerive } from "../derive.ts";
import { wordIndexOf } from "../words/search-index.ts";
import { DERIVING, type ServerThread } from "./beside-server.ts";
import type { ThreadMessage } from "./thread-beside.ts";

// The thread of `withDerivingOnServer`: whenever there is a batch of what waits, and at the end for the rest, it takes the turn to
// derive, unless another has it. What it cannot decode stays waiting, since only the other thread can ask the node.
const { address, owner, ttlMs } = workerData as ServerThread;
const port = parentPort as MessagePort;
const engine = await openBesideWorker(address, ttlMs);

async function deriveInTurn(isEnding: boolean): Promise<void> {
  // The server's own clock counts.
  const lease = await takeTurn(engine, DERIVING, { owner, now: () => 0, ...(ttlMs === undefined ? {} : { ttlMs }) });
  if (lease === undefined) return;
  try {
    const held = turnEngine(engine, lease);
    // Nothing is remembered from turn to turn: others may have derived meanwhile, or begun anew.
    await prepareDerive(held, wordIndexOf(held)).beginBeside({ batch: BATCH }).go({ isEnding });
  } finally {
    await releaseLease(engine, lease);
  }
}

let isEnding = false;
let work = Promise.resolve();
port.on("message", (message: ThreadMessage) => {
  isEnding ||= message === "end";
  work = work.then(async () => {
    await deriveInTurn(isEnding);
    if (message !== "end") return;
    await engine.close();
    port.close();
  });
});
