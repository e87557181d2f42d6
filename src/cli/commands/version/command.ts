import { packageVersion } from "../../../base/files/package-file.ts";
import { printable } from "../../../base/printable.ts";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { MovedexCommand } from "../../movedex-command.ts";
import { jsonLine } from "../../output/json-line.ts";

/** Where releases lie; packaging/install.sh reads the same variable. */
const RELEASES = "https://github.com/movedex/movedex/releases";
const TIMEOUT_MS = 10_000;

export function versionCommand(): MovedexCommand {
  return new MovedexCommand("version")
    .description("Print the version. --json adds what a bug report needs: Node.js, the database engine in use, SQLite and the platform.")
    .summary("print the version")
    .option("--json", "print one JSON object")
    .option("--check", "ask the project's releases for a newer version; no other command does")
    .examples("version --json")
    .runs(async ({ io }, flags: { readonly json?: boolean; readonly check?: boolean }) => {
      const version = packageVersion();
      const newest = flags.check === true ? await checkRelease(io, version) : undefined;
      const exit = newest === null ? "failed" : "done";
      if (flags.json !== true) {
        await io.stdout(`${version}\n`);
        return exit;
      }
      const { sqliteVersion } = await import("../../../engine/sqlite/open-file.ts");
      const { isAddress } = await import("../../../engine/place.ts");
      const engine = isAddress(databasePath(undefined, io.env)) ? "postgresql" : "sqlite";
      const { versions, platform, arch } = process;
      await io.stdout(jsonLine({ version, node: versions.node, engine, sqlite: sqliteVersion(), platform, arch, newest_release: newest }));
      return exit;
    });
}

/** The newest release, null where it is not known; says on stderr what is to be known of it. */
async function checkRelease(io: Io, version: string): Promise<string | null> {
  const newest = await findNewestRelease(io);
  if ("unknown" in newest) io.stderr(`movedex: the newest release is not known: ${printable(newest.unknown, 200)}\n`);
  else if (isNewer(newest.version, version)) io.stderr(`movedex: ${newest.version} is out; this is ${version}\n`);
  else io.stderr("movedex: this is the newest release\n");
  return "unknown" in newest ? null : newest.version;
}

/** The version of the newest release, or why it is not known. The address of the newest release leads to one with its version. */
async function findNewestRelease({ env }: Pick<Io, "env">): Promise<{ readonly version: string } | { readonly unknown: string }> {
  const releases = env["MOVEDEX_RELEASES"] || RELEASES;
  try {
    const answer = await fetch(`${releases}/latest`, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const version = /\/tag\/v(\d+\.\d+\.\d+)$/.exec(answer.headers.get("location") ?? "")?.[1];
    return version === undefined ? { unknown: `it answered ${answer.status} and named no release` } : { version };
  } catch (error) {
    const { cause, message } = error as Error;
    return { unknown: cause instanceof Error ? cause.message : message };
  }
}

function isNewer(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const at = one.findIndex((number, i) => number !== other[i]);
  return at >= 0 && (one[at] as number) > (other[at] ?? 0);
}
