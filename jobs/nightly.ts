import { main } from "../src/main.ts";

/**
 * The night, for cron and timers in a checkout: sync, backfill, trace, gaps, tell, verify of a part, backup, report,
 * one after the other under one lock. An installed movedex has it as `movedex night`.
 *
 *     node jobs/nightly.ts --network aptos-mainnet --db night.db --backup backups/ --keep 14
 */
process.exitCode = await main(["night", "--json", ...process.argv.slice(2)]);
