import { dirname, resolve } from "node:path";
import type { Option } from "commander";

/** A value of a settings file as it would be typed for an option. Relative paths count from the file's directory, not from the job's. */
export function typedValue(option: Option, value: string | number | bigint, file: string): string {
  const text = String(value);
  const isPath = /<(?:file|path|directory)>/.test(option.flags) && text !== "-" && !/^[a-z][a-z0-9+.-]+:/i.test(text);
  if (!isPath) return text;
  // A slash at the end names a directory.
  return resolve(dirname(file), text) + (text.endsWith("/") ? "/" : "");
}
