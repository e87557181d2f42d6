import { main } from "../src/main.ts";

/**
 * The week's check: everything stored is verified. It only reads, so it has a lock of its own and a night may run beside it.
 *
 *     node jobs/weekly.ts --db night.db
 */
process.exitCode = await main(["night", "--weekly", "--json", ...process.argv.slice(2)]);
