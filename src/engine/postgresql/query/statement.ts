import { on } from "node:events";
import type { Cell } from "../../../base/cell.ts";
import { type Answer, type Client, type Question, rowsOf } from "../driver.ts";

/** Rows, behind the names of their columns. */
export type Rows = AsyncGenerator<readonly Cell[], undefined>;

/** What a statement may take: bytes of a row, and milliseconds. */
export type QueryLimits = { readonly rowBytes: number; readonly timeoutMs: number | undefined };

/** The failure of a statement that took more than it may. */
export class LimitExceeded extends Error {
  readonly limit: keyof QueryLimits;

  constructor(limit: keyof QueryLimits, cause: unknown) {
    super("a statement took more than it may", { cause });
    this.limit = limit;
  }
}

/** How much later than the server's own limit a statement is given up that it has not stopped, whatever it did to its settings. */
const OVERDUE_MS = 1_000;

/**
 * Has the server's parser judge a text: behind these words it takes one statement that reads, and nothing else. Neither they nor the
 * statement are planned or run. A cursor itself would never use more than one of the server's cores.
 */
export function assertReadsOnly(client: Client, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    void client.query({
      submit: (connection) => {
        connection.parse({ name: "", text: `DECLARE judged NO SCROLL CURSOR FOR ${text}`, types: [] }, false);
        connection.sync();
      },
      handleError: reject,
      handleReadyForQuery: resolve,
    });
  });
}

/**
 * A statement's rows as the server sends them, behind the names of its columns. While nobody takes them, the server waits.
 * @throws LimitExceeded
 */
export async function* streamRows(client: Client, question: Question, { rowBytes, timeoutMs }: QueryLimits): Rows {
  const { stream } = client.connection;
  let exceeded: keyof QueryLimits | undefined;
  let bytes = 0;
  let columns: string[] = [];
  const giveUp = (limit: keyof QueryLimits): void => {
    exceeded ??= limit;
    stream.destroy();
  };
  const overdue = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs + OVERDUE_MS, "timeoutMs");
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (bytes > rowBytes) giveUp("rowBytes");
  };
  const describe = ({ fields }: Answer): void => {
    columns = fields.map(({ name }) => name);
  };
  // `on` leaves the socket paused at the end. Heard by nobody, an error would end the process: those who stop early hear of none.
  const end = (): void => {
    clearTimeout(overdue);
    stream.off("data", count).resume();
  };
  const message = Object.assign(rowsOf(question), { pause: () => stream.pause(), resume: () => stream.resume() });
  const rows = on(message, "row", { close: ["end"], highWaterMark: 1 });
  message.once("row", (_row, answer) => describe(answer)).on("row", () => (bytes = 0));
  message.once("end", describe).once("end", end).on("error", end);
  stream.on("data", count);
  void client.query(message);
  try {
    const first = await rows.next();
    yield columns;
    if (first.done !== true) yield first.value[0];
    for await (const [row] of rows) yield row;
  } catch (error) {
    throw exceeded === undefined ? error : new LimitExceeded(exceeded, error);
  }
}
