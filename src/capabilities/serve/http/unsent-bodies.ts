import type { ServerResponse } from "node:http";

/** Smaller bodies may share memory with others, and are not counted: as many as there are connections take 320 MiB. */
const LARGE_BYTES = Buffer.poolSize / 2;

/** Makes a list of the large bodies that clients are taking. Each counts once, however many take it, until the last of them has it. */
export function unsentBodies(most: number) {
  const takers = new Map<ArrayBufferLike, Set<ServerResponse>>();
  let bytes = 0;
  const forget = (memory: ArrayBufferLike): void => {
    takers.delete(memory);
    bytes -= memory.byteLength;
  };
  return {
    /** Adds a body that a client begins to take. @returns who has to go to keep to the bound: those whose body was asked for longest ago */
    add: ({ buffer: memory, length }: Buffer, response: ServerResponse): readonly ServerResponse[] => {
      if (length < LARGE_BYTES) return [];
      const responses = (takers.get(memory) ?? new Set()).add(response);
      if (takers.delete(memory)) bytes -= memory.byteLength;
      takers.set(memory, responses);
      bytes += memory.byteLength;
      response.once("close", () => {
        responses.delete(response);
        if (responses.size === 0 && takers.get(memory) === responses) forget(memory);
      });
      const late: ServerResponse[] = [];
      for (const [oldest, others] of takers) {
        if (bytes <= most || oldest === memory) break;
        forget(oldest);
        late.push(...others);
      }
      return late;
    },
  };
}
