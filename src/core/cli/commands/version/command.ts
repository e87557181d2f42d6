import { packageVersion } from "../../../base/files.ts";
import { all, object, text, word } from "../../../base/result.ts";
import { engineNames } from "../../../db/engine/database.ts";
import { databasePath } from "../../config.ts";
import { MovedexCommand } from "../../movedex-command.ts";
import { jsonLine } from "../../output/json-line.ts";

const versionResult = object({ ...all(text, "version", "node"), engine: word(...engineNames), ...all(text, "sqlite", "platform", "arch") });

export function versionCommand(): MovedexCommand {
  return new MovedexCommand("version")
    .description("Print the version. --json adds what a bug report needs: Node.js, the database engine in use, SQLite and the platform.")
    .summary("print the version")
    .printsJson(async () => versionResult)
    .examples("version --json")
    .runs(async ({ io }, flags: { readonly json?: boolean }) => {
      const version = packageVersion();
      if (flags.json !== true) return await io.stdout(`${version}\n`);
      const { databaseAt, sqliteVersion } = await import("../../../db/engine/database-at.ts");
      const { engine } = databaseAt(databasePath(undefined, io.env));
      const { versions, platform, arch } = process;
      await io.stdout(
        jsonLine(versionResult.print({ version, node: versions.node, engine, sqlite: await sqliteVersion(), platform, arch })),
      );
    });
}
