import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { openSqlite } from "../connection/open-sqlite.ts";
import { type Derived, prepareDerive } from "./derive.ts";
import { type DerivingThread, type RowsMessage, type Said, TOGETHER } from "./derive-beside.ts";
import { wordIndexOf } from "./words/search-index.ts";
import { WriteTurn } from "./write-turn.ts";

// The thread of `withDerivingBeside`: derives what waits in the file whenever there is a batch of it. At the end it is fed: it stores
// the rows that the other thread makes, some batches at a time. What cannot be decoded stays waiting, since only that one can ask the node.
const PAGES_KB = 4000;
const { path, shared, self } = workerData as DerivingThread;
const port = parentPort as MessagePort;
const turn = new WriteTurn(self, shared);
const { database, engine, close } = openSqlite(path, { mode: "join" });
// It appends, batch by batch: 16 MB of pages, as better-sqlite3 keeps them for each connection, would be read no more.
database.pragma(`cache_size = -${PAGES_KB}`);
const { reader, writer, go } = prepareDerive(engine, wordIndexOf(engine), (work) => turn.run(work)).beginBeside();

const sent: (readonly Derived[])[] = [];
let isFed = false;
const isStopped = () => isFed;
let work = Promise.resolve();

/** Stores what was sent until then. */
async function writeSent(): Promise<void> {
  const batches = sent.splice(0, TOGETHER);
  if (batches.length === 0) return;
  await writer.write(batches.flat());
  port.postMessage({ written: batches.length } satisfies Said);
}

async function end(): Promise<void> {
  await writer.end();
  close();
  port.close();
}

// A failure ends the thread: the other one does its work then.
port.on("message", (message: RowsMessage) => {
  if (message === "feed") isFed = true;
  if (message === "more") work = work.then(() => go({ isEnding: false, isStopped }));
  else if (message === "feed") work = work.then(() => port.postMessage({ last: reader.last() } satisfies Said));
  else if (message === "end") work = work.then(end);
  else {
    sent.push(message);
    work = work.then(writeSent);
  }
});
