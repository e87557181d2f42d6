import { closeSync, createReadStream, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { appendLine, systemReason } from "../../../core/base/files.ts";
import { printable } from "../../../core/base/printable.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { ConfigError } from "../../../core/errors.ts";
import { type Channel, TOLD } from "./channel.ts";

/**
 * A file to which each alert is added as one line of JSON, its `id` first. A line that is there already is not written again.
 * @throws ConfigError for a device or a pipe: what was written cannot be read there again
 */
export function linesChannel(path: string): Channel {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile() && !stat.isDirectory())
    throw new ConfigError(`\`${printable(path, 500)}\` is a device or a pipe. Name a regular file for alerts, which can be read back.`);
  const name = printable(resolve(path), 500);
  return {
    channel: `file ${name}`,
    address: sha256Hex(name).slice(0, 8),
    level: "any",
    isApart: true,
    tell: async ({ id, messages: [message], isUncertain }) => {
      try {
        closeSync(openSync(path, "a"));
        if (isUncertain && (await hasLine(path, id))) return TOLD;
        appendLine(path, `${JSON.stringify({ id, ...message })}\n`);
        return TOLD;
      } catch (error) {
        return { isTold: false, fault: systemReason(error), isOfPlace: true };
      }
    },
  };
}

/** Whether a whole line has this identifier. */
async function hasLine(path: string, id: string): Promise<boolean> {
  const begin = `{"id":${JSON.stringify(id)},`;
  const input = createReadStream(path, { encoding: "utf8" });
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      if (line.startsWith(begin) && line.endsWith("}") && isJson(line)) return true;
    return false;
  } finally {
    input.destroy();
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
