import type { Dispatcher } from "undici";

/** The status and headers of an answer, and its body as it came over the wire, in pieces. */
export type Gathered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly pieces: readonly Uint8Array[];
};

type Gathering = {
  /** The whole answer. Rejects with undici's error, or with what the request was aborted with. */
  readonly answer: Promise<Gathered>;
  readonly abort: (reason: Error) => void;
};

/**
 * Sends a GET and gathers its answer. What `Dispatcher.request` does for one that is read as a whole, without the stream, the
 * abort signal and the asynchronous resource that it makes for each: these cost more than all that is done with a short answer.
 */
export function gather(dispatcher: Dispatcher, options: Pick<Dispatcher.DispatchOptions, "origin" | "path" | "headers">): Gathering {
  const { promise: answer, resolve, reject } = Promise.withResolvers<Gathered>();
  const pieces: Uint8Array[] = [];
  let sent: Dispatcher.DispatchController | undefined;
  let aborted: Error | undefined;
  let status = 0;
  let headers: Gathered["headers"] = {};
  dispatcher.dispatch(
    { ...options, method: "GET" },
    {
      onRequestStart: (controller) => {
        sent = controller;
        if (aborted !== undefined) controller.abort(aborted);
      },
      onResponseStart: (_controller, code, fields) => {
        // Answers below 200 come before the real one.
        if (code < 200) return;
        status = code;
        headers = fields;
      },
      onResponseData: (_controller, piece) => void pieces.push(piece),
      onResponseEnd: () => resolve({ status, headers, pieces }),
      onResponseError: (_controller, error) => reject(error),
    },
  );
  return {
    answer,
    abort: (reason) => {
      aborted = reason;
      sent?.abort(reason);
      // One that waits for a connection is let go at once, and is aborted when its turn comes.
      reject(reason);
    },
  };
}
