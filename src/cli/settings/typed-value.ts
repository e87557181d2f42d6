import { dirname, resolve } from "node:path";
import type { Option } from "commander";

/**
 * A value of a settings file as it would be typed for an option. Paths are meant from the file's directory: a job's working directory is
 * seldom what one thinks.
 */
export function typedValue(option: Option, value: string | number | bigint, file: string): string {
  const text = String(value);
  const isPath = /<(?:file|path|directory)>/.test(option.flags) && text !== "-" && !/^[a-z][a-z0-9+.-]+:/i.test(text);
  if (!isPath) return text;
  // A slash at the end says that a directory is meant.
  return resolve(dirname(file), text) + (text.endsWith("/") ? "/" : "");
}
