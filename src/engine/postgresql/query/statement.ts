import { on } from "node:events";
import type { Cell } from "../../../base/cell.ts";
import type { Answer, Client, RowsMessage } from "../driver.ts";
import type { Bounded } from "./bounded.ts";

/**
 * Has the server's parser judge a text: behind these words it takes one statement that reads, and nothing else. Neither they nor the
 * statement are planned or run. A cursor itself would never use more than one of the server's cores.
 */
export function judge(client: Client, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query({
      submit: (connection) => {
        connection.parse({ name: "", text: `DECLARE judged NO SCROLL CURSOR FOR ${text}`, types: [] }, false);
        connection.sync();
      },
      handleError: reject,
      handleReadyForQuery: resolve,
    });
  });
}

/** A statement's rows as the server sends them, behind the names of its columns. While nobody takes them, the server waits. */
export async function* streamRows(client: Client, message: RowsMessage, bounds: Bounded): AsyncGenerator<readonly Cell[]> {
  const { stream } = client.connection;
  const pause = (): void => {
    bounds.halt();
    stream.pause();
  };
  const resume = (): void => {
    bounds.run();
    stream.resume();
  };
  const rows = on(Object.assign(message, { pause, resume }), "row", { close: ["end"], highWaterMark: 1 });
  let columns: string[] = [];
  const describe = ({ fields }: Answer): void => {
    columns = fields.map(({ name }) => name);
  };
  message.once("row", (_row, answer) => describe(answer)).on("row", bounds.row);
  // `on` leaves the socket paused at the end. Heard by nobody, an error would end the process: those who stop early hear of none.
  const end = (): void => {
    bounds.halt();
    stream.resume();
  };
  message.once("end", describe).once("end", end).on("error", end);
  bounds.run();
  client.query(message);
  const first = await rows.next();
  yield columns;
  if (first.done !== true) yield first.value[0];
  for await (const [row] of rows) yield row;
}
