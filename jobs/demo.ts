import { main } from "../src/main.ts";

/**
 * The demonstration, for a checkout; an installed movedex has it as `movedex demo`. With `--postgres` two workers share a night on a
 * PostgreSQL server that is there for the demonstration only.
 *
 *     npm run demo
 *     npm run demo -- --postgres
 */
const words = process.argv.slice(2);
process.exitCode = words.includes("--postgres")
  ? await (await import("./demo-postgres.ts")).demoPostgres()
  : await main(["demo", ...words]);
process.stderr.write("In a clone, `movedex` is typed as `npx movedex`.\n");
