// How long a backfill takes whose versions are all alike, so that all but the two ends are inferred, and one whose versions
// all differ: requests without a limit to a simulated node in the same process.
//   npx node test/bench/backfill/plan.ts
// With `--cpu-prof` the share of planning is what stands below `OpenAccounts.at`.

import { writeFileSync } from "node:fs";
import { manyAccounts, startSimNode } from "../../../sim/index.ts";
import { generatedPackage } from "../../../sim/ledger/generated-package.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine } from "../machine.ts";

const STEP = 1_000;
const FIRST = 20_000;

process.stdout.write(`${describeMachine()}\n\n| accounts | versions | they | requests | s |\n|---|---|---|---|---|\n`);
for (const [accounts, versions, they] of [
  [2_000, 10, "are alike"],
  [2_000, 100, "are alike"],
  [10_000, 100, "are alike"],
  [500, 30, "differ"],
] as const) {
  const many = manyAccounts(accounts, { modulesPerPackage: 1 });
  const pool = Array.from({ length: 400 }, (_, index) => generatedPackage(1, 5_000 + index, ["changing"])[0]);
  for (let index = 0; index < versions && they === "differ"; index++) {
    many.ledger.advanceTo(BigInt(FIRST + index * STEP - 5));
    many.ledger.transact((writer) => {
      for (let account = 0; account < accounts; account++) {
        const code = pool[(account * 7 + index) % pool.length];
        const address = many.address(account);
        if (code !== undefined) writer.publish(address, "changing", code.code.publishedAt(address, code.account));
      }
    });
  }
  const last = FIRST + (versions - 1) * STEP;
  many.ledger.advanceTo(BigInt(last + 5_000));
  await using node = await startSimNode({ ledger: many.ledger, log: false });
  using place = temporaryDirectory();
  writeFileSync(place.file("targets.txt"), [...many.addresses()].join("\n"));
  const options = ["--rpc", node.url, "--db", place.file("archive.db"), "--targets", place.file("targets.txt"), "--rate", "0"];
  const range = ["--concurrency", "16", "--every", `${STEP}`, "--from", `${FIRST}`, "--to", `${last}`, "--json"];
  const begun = performance.now();
  const { code, stderr, json } = await runCli(["backfill", ...options, ...range]);
  if (code !== 0) throw new Error(stderr);
  const seconds = (performance.now() - begun) / 1000;
  process.stdout.write(`| ${accounts} | ${versions} | ${they} | ${json()["requests"]} | ${seconds.toFixed(1)} |\n`);
}
