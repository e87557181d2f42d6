import { gzipSync } from "node:zlib";
import { type Answer, contentTypes } from "../http/answer.ts";
import type { Fault } from "./fault.ts";

const MEBIBYTE = 1024 * 1024;

/** A small gzip body that decompresses to `mebibytes` of blanks. */
export function compressionBomb(mebibytes: number): Fault {
  const member = gzipSync(Buffer.alloc(MEBIBYTE, " "), { level: 9 });
  const bomb = Buffer.concat(Array.from({ length: mebibytes }, () => member));
  return { name: "corrupt: compression bomb", answer: (honest) => compressed(honest(), bomb) };
}

/** A small gzip body that decompresses to a JSON list of `count` empty objects, or to lists nested `count` deep. */
export function jsonBomb(kind: "wide" | "deep", count: number): Fault {
  const text = kind === "wide" ? `[${"{},".repeat(count - 1)}{}]` : `${"[".repeat(count)}${"]".repeat(count)}`;
  const bomb = gzipSync(text, { level: 9 });
  return {
    name: `corrupt: ${kind} JSON bomb`,
    answer: (honest) => {
      const answer = compressed(honest(), bomb);
      return { ...answer, headers: { ...answer.headers, "content-type": contentTypes.json } };
    },
  };
}

function compressed({ cacheKey: _, ...answer }: Answer, body: Uint8Array): Answer {
  return { ...answer, body, headers: { ...answer.headers, "content-encoding": "gzip" }, compressible: false };
}
