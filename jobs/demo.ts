import { main } from "../src/main.ts";

/**
 * The demonstration, for a checkout; an installed movedex has it as `movedex demo`.
 *
 *     npm run demo
 */
process.exitCode = await main(["demo", ...process.argv.slice(2)]);
