import { badgesAddress } from "../../sim/sample/index.ts";
import { runCli } from "../support/run-cli.ts";
import { goldenOutputs, useGoldenPlace } from "./support/golden.ts";

// What `export` prints and writes.

useGoldenPlace({ withWide: true });

const badges = badgesAddress.replace("0x0", "0x");
const exported =
  (...words: string[]) =>
  async (): Promise<void> => {
    await runCli(["export", ...words]);
  };
const typings = ["--format", "ts", "--account", badges, "--db", "night.db"];
const reserved = ["--format", "ts", "--module", "0xcafe::reserved", "--module", "0xcafe::con", "--db", "wide.db"];

goldenOutputs("export", [
  ["parquet.txt", "export parquet --at latest", { lists: "parquet" }],
  ["parquet.json", "export parquet-json --at latest --json"],
  ["csv.txt", "export csv --format csv --at latest", { lists: "csv" }],
  ["csv-again.txt", "export csv --format csv --at latest"],
  ["csv-partition.txt", "export hive --format csv --at latest --partition", { lists: "hive" }],
  ["manifest.json", "export manifest --format mv --account 0x1", { written: "manifest/manifest-000001.json" }],
  ["fields_at.csv", "export csv-fields --format csv --at latest", { written: "csv-fields/part-000001/fields_at.csv" }],
  ["fields_at.schema.json", "export csv-schema --format csv --at latest", { written: "csv-schema/part-000001/fields_at.schema.json" }],
  ["jsonl.txt", "export jsonl --format jsonl --at latest", { lists: "jsonl" }],
  ["fields_at.jsonl", "export jsonl-fields --format jsonl --at latest", { written: "jsonl-fields/part-000001/fields_at.jsonl" }],
  ["mv.txt", "export modules --format mv --account 0x1", { lists: "modules" }],
  ["mv.json", "export modules-json --format mv --account 0x1 --json"],
  ["abi-json.txt", `export abis --format abi-json --account ${badges}`, { lists: "abis" }],
  ["signer.json", "export abi --format abi-json --module 0x1::signer", { written: "abi/part-000001/0x1/signer.json" }],
  ["ts.txt", `export types ${typings.join(" ")}`, { lists: "types" }],
  ["ts-again.txt", `export types ${typings.join(" ")}`, { prepare: exported("types", ...typings) }],
  ["ts.json", `export types-json ${typings.join(" ")} --json`],
  [
    "ts-wide.txt",
    "export wide-types --format ts --account 0xbeef --db wide.db --at 200",
    { prepare: exported("wide-types", "--format", "ts", "--account", "0xbeef", "--db", "wide.db", "--at", "100") },
  ],
  ["badge.typescript", `export ts-badge ${typings.join(" ")}`, { written: `ts-badge/${badges}/badge.ts` }],
  ["badge-bigint.typescript", `export ts-bigint ${typings.join(" ")} --u64 bigint`, { written: `ts-bigint/${badges}/badge.ts` }],
  ["move.typescript", `export ts-move ${typings.join(" ")}`, { written: "ts-move/move.ts" }],
  ["reserved.txt", `export reserved ${reserved.join(" ")}`, { lists: "reserved" }],
  ["reserved.typescript", `export ts-reserved ${reserved.join(" ")}`, { written: "ts-reserved/0xcafe/reserved.ts" }],
]);
