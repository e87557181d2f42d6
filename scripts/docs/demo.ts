import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What the demonstration prints on stdout, run in a directory of its own; its port, which differs from run to run, made the same. */
export function demoOutput(): string {
  const directory = mkdtempSync(join(tmpdir(), "movedex-docs-"));
  try {
    const script = fileURLToPath(new URL("../../jobs/demo.ts", import.meta.url));
    const output = execFileSync(process.execPath, [script], { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return output.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8080").trimEnd();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
