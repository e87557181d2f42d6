import { readFileSync } from "node:fs";
import { packageFile } from "../base/files/package-file.ts";

/** The version in package.json. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
}
