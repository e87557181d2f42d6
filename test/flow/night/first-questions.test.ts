import { expect, test } from "vitest";
import { startSimNode } from "../../../sim/index.ts";
import { sized } from "../../run-size.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { twoNights } from "../../support/two-nights.ts";

// Three runs of backfill take 15 s.
test.each(sized([["sync"], ["trace"]], [["sync"], ["backfill", "--every", "1000"], ["trace"]]))(
  "%s whose budget ends in the questions that every run begins with says what it spent, writes nothing and ends with 0",
  async (...words) => {
    using place = temporaryDirectory();
    const { ledger, addresses } = twoNights(5);
    await using node = await startSimNode({ ledger });
    const run = (argv: readonly string[], ...more: string[]) =>
      runCli([...argv, "--rpc", node.url, "--db", place.file("a.db"), "--rate", "0", ...more]);
    await ended(run(["sync"], ...addresses.flatMap((address) => ["--account", address])));
    ledger.advance(100n);
    const result = await ended(run(words, "--max-requests", "1", "--json"));
    expect(result.json()).toMatchObject({ stopped_by: "budget", requests: 1, retries: 0 });
    expect(result.stderr).toBe("");
    expect((await run(words, "--max-requests", "1")).stdout).toBe(
      "the budget of this run is spent: 1 request, which its first questions took. A run with more begins the work.\n",
    );
    await ended(run(words, "--max-requests", "100"));
  },
);
