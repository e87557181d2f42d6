import { packageVersion } from "../../../base/files/package-file.ts";
import { printable } from "../../../base/printable.ts";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { MovedexCommand } from "../../movedex-command.ts";
import { jsonLine } from "../../output/json-line.ts";

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
      if (flags.json !== true) return await io.stdout(`${version}\n`);
      const { sqliteVersion } = await import("../../../engine/sqlite/open-file.ts");
      const { isAddress } = await import("../../../engine/place.ts");
      const engine = isAddress(databasePath(undefined, io.env)) ? "postgresql" : "sqlite";
      const { versions, platform, arch } = process;
      await io.stdout(jsonLine({ version, node: versions.node, engine, sqlite: sqliteVersion(), platform, arch, newest_release: newest }));
    });
}

/** The newest release, null where it is not known; says on stderr what is to be known of it. */
async function checkRelease(io: Io, version: string): Promise<string | null> {
  const { findNewestRelease, isNewer } = await import("./newest-release.ts");
  const newest = await findNewestRelease(io);
  if ("unknown" in newest) io.stderr(`movedex: the newest release is not known: ${printable(newest.unknown, 200)}\n`);
  else if (isNewer(newest.version, version)) io.stderr(`movedex: ${newest.version} is out; this is ${version}\n`);
  else io.stderr("movedex: this is the newest release\n");
  return "unknown" in newest ? null : newest.version;
}
