import { decompressBody } from "../../node/http/body.ts";
import type { ForwardedAnswer } from "../../node/http/forwarder.ts";
import { AnswerFault } from "../../node/protocol/node-error.ts";
import type { ServeLimits } from "../serve-limits.ts";

export type BodyLimits = Pick<ServeLimits, "upstreamBytes" | "upstreamLargestBytes">;

/**
 * The whole body of a node's answer, unpacked. `becomeLarge` is awaited once, before more than `upstreamBytes` of it are held; until
 * then the node waits. @throws AnswerFault for a body that is too large or is not packed as it says, and what the stream fails with
 */
export async function readBody(
  { body, headers }: Pick<ForwardedAnswer, "body" | "headers">,
  limits: BodyLimits,
  becomeLarge: () => Promise<void>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let [bytes, limit] = [0, limits.upstreamBytes];
  const grow = async (): Promise<void> => {
    if (limit === limits.upstreamBytes) await becomeLarge();
    limit = limits.upstreamLargestBytes;
  };
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > limit) await grow();
    if (bytes > limit) throw new AnswerFault("too_large", `an answer of more than ${limit} bytes`);
  }
  const packed = Buffer.concat(chunks);
  const encoding = [headers["content-encoding"] ?? "identity"].flat().join();
  try {
    return await decompressBody(packed, encoding, limit);
  } catch (error) {
    if (!(error instanceof AnswerFault && error.kind === "too_large") || limit === limits.upstreamLargestBytes) throw error;
    await grow();
    return decompressBody(packed, encoding, limit);
  }
}
