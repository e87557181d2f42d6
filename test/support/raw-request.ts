import { type Agent, request } from "node:http";

/** A response as it came over the wire, undecoded. */
export type RawResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
};

/**
 * One HTTP request, on its own connection unless an agent is given. `path` is sent as is; a URL would normalize it. Rejects if the answer
 * ends early.
 */
export function rawRequest(
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
    readonly signal?: AbortSignal;
    readonly agent?: Agent;
    readonly path?: string;
  } = {},
): Promise<RawResponse> {
  const { method = "GET", headers = {}, body, signal, agent = false, path } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, headers, agent, ...(signal ? { signal } : {}), ...(path === undefined ? {} : { path }) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
