import { writeFileSync } from "node:fs";
import { beforeAll } from "vitest";
import { writeModule } from "../../sim/module-writer/module-writer.ts";
import { sealModules } from "../support/index.ts";
import { type GoldenCase, goldenOutputs, useGoldenPlace } from "./support/golden.ts";

// What `explain` says of errors that people paste. The forms of an abort are in test/capabilities/explain.

useGoldenPlace();

const LOW = { code: 4, name: "ESTAKE_TOO_LOW", description: "Not enough stake.\n Ask for \u001b[31mmore." };
const ACTIVE = { code: 4, name: "EALREADY_ACTIVE", description: "Active already" };

/** A module whose code 4 meant something else before, and nothing between; others without texts, that cannot be read, that is gone. */
beforeAll(async () => {
  const stake = (...errors: (typeof LOW)[]) => writeModule({ address: "0x1", name: "stake", errors });
  const silent = writeModule({ address: "0x1", name: "silent" });
  const strange = writeModule({ address: "0x1", name: "strange" }).with(4, 99);
  /** `LdU64 0x10004; Abort`. */
  const abort = [Uint8Array.of(0x06, 4, 0, 1, 0, 0, 0, 0, 0), Uint8Array.of(0x27)];
  const raising = writeModule({
    address: "0x2",
    name: "raising",
    errors: [LOW],
    functions: [
      { name: "pay", visibility: "public", entry: true, code: abort },
      { name: "hidden", code: abort },
      { name: "quiet", visibility: "public", code: [Uint8Array.of(0x02)] },
    ],
  });
  const once = (isRaised: boolean) => {
    const code = isRaised ? abort : [Uint8Array.of(0x02)];
    const functions = ["pay", "lend"].map((name) => ({ name, visibility: "public" as const, code }));
    return [writeModule({ address: "0x3", name: "once", errors: isRaised ? [LOW] : [], functions })];
  };
  const gone = writeModule({ address: "0x2", name: "gone" });
  const now = stake(ACTIVE, { code: 5, name: "E5", description: "" });
  await sealModules("stake.db", [
    { version: 10n, accounts: { "0x1": [stake(LOW), silent, strange], "0x2": [gone], "0x3": once(true) } },
    { version: 20n, accounts: { "0x1": [stake(), silent, strange], "0x3": once(true) } },
    { version: 30n, accounts: { "0x1": [now, silent, strange], "0x2": [raising], "0x3": once(false) } },
  ]);
  writeFileSync("message.txt", "Move abort in 0x1::stake: EALREADY_ACTIVE(0x10004): Active already");
});

const at = `location: Module(ModuleId { address: ${"0".repeat(63)}1, name: Identifier("stake") }), indices: [], offsets: [(FunctionDefinitionIndex(3), 14)]`;
const unnamed = "Move bytecode deserialization / verification failed, including entry function not found or invalid arguments";
const of = '"status_code":4017,"location"';

const asked: readonly (readonly [file: string, words: string, stdin?: string])[] = [
  ["meanings.txt", "0x1::stake 0x10004"],
  ["code-first.txt", "0x10004 stake@10"],
  ["message-of-before.txt", '"Move abort in 0x1::stake: ESTAKE_TOO_LOW(0x10004): Not enough stake."'],
  ["message-of-no-name.txt", "Move abort in 0x1::stake: EOTHER(0x5)"],
  ["two-aborts.txt", '"Move abort in 0x2::raising: ESTAKE_TOO_LOW(0x10004): x; then Move abort in 0x1::stake: E5(0x5)"'],
  ["raised.json", "0x2::raising 4 --json"],
  ["raised-no-more.txt", "0x3::once 4"],
  ["raised-no-more-in-full.txt", "0x3::once 0x10004"],
  ["raised-no-more.json", "0x3::once 4 --json"],
  ["raised-before.txt", "0x3::once@10 4"],
  ["module-gone.txt", '"Module not found by Address(0x2), Module name(gone) and Ledger version(30)"'],
  ["module-with-a-slip.txt", '"Module not found by Address(0x1), Module name(stakes) and Ledger version(30)"'],
  ["module-too-early.txt", '"Module not found by Address(0x2), Module name(raising) and Ledger version(15)"'],
  ["no-such-entry.txt", '"could not find entry function by 0x2::raising::quit"'],
  ["not-an-entry.txt", '"could not find entry function by 0x2::raising::quiet"'],
  ["account-held.txt", '"Account not found by Address(0x2) and Ledger version(30)"'],
  ["account-unread.txt", '"Account not found by Address(0x77) and Ledger version(30)"'],
  // A sub status of another status than ABORTED is no code of a module.
  ["sub-status.txt", `'VMError { major_status: STRUCT_VARIANT_MISMATCH, sub_status: Some(4), message: None, ${at} }'`],
  ["vector.txt", '"VMError with status VECTOR_OPERATION_ERROR of type Execution with sub status 2 at location 0x1::stake"'],
  ["multisig.txt", `'{"execution_error":{"abort_location":"","error_code":"4002","error_type":"VMError"}}'`],
  ["wrong-arguments.txt", "NUMBER_OF_ARGUMENTS_MISMATCH"],
  ["file.txt", "--file message.txt"],
  ["stdin.txt", "-", "Move abort in 0x1::stake: EALREADY_ACTIVE(0x10004): Active already"],
  ["nothing-given.txt", ""],
  ["no-such-reason.txt", "stake 77"],
  ["no-texts.txt", "silent 0x30001"],
  ["unreadable.txt", "strange 1"],
  ["no-category.txt", "stake 0xff0000000001"],
  ["name.txt", "EALREADY_ACTIVE"],
  ["name-of-before.txt", "ESTAKE_TOO_LOW"],
  ["name-in-a-module.txt", "stake@10 ESTAKE_TOO_LOW"],
  ["name.json", "0x1::stake::E5 --json"],
  ["name-begun.txt", "EALREADY_ACTIV"],
  ["name-with-a-slip.txt", "EALREDY_ACTIVE"],
  ["name-begun-in-a-module.txt", "stake EALREADY_ACTIV"],
  ["stopped.txt", '"Execution failed in 0x1::coin::transfer at code offset 13"'],
  ["stopped.json", '"Execution failed in 0x1::coin::transfer at code offset 13" --json'],
  ["number-of-a-status.txt", "4002"],
  ["without-a-status.txt", `"${unnamed}"`],
  ["without-a-status.json", `"${unnamed}" --json`],
  ["no-arm-fits.txt", "stake 0xca26cbd9be0b0001"],
  ["no-arm-fits.json", "stake 0xca26cbd9be0b0001 --json"],
  ["unspecified.txt", "stake@10 0xca26cbd9be0b0000"],
  // The high bits are no category, so the low ones are no reason, whatever the node prints.
  ["wrongly-called.txt", '"Move abort in 0x1::stake: EALREADY_ACTIVE(0x77770004): Active already"'],
  ["aborted.txt", "ABORTED(65540)"],
  ["code-and-module.txt", '"65540 stake"'],
  ["code-alone.txt", '"Move abort: code 0x5"'],
  ["script-stopped-in-json.txt", `'{"ExecutionFailure":{${of}:"Script","function":0,"code_offset":4}}'`],
  ["stopped-in-json.txt", `'{"ExecutionFailure":{${of}:{"Module":{"address":"0x1","name":"none"}},"function":"2","code_offset":"4"}}'`],
  ["script-aborted.txt", '"Move abort in script: 0x5"'],
  ["script-stopped.txt", '"Execution failed in script at code offset 3"'],
  ["stopped-as-printed.txt", '"EXECUTION_FAILURE { status_code: ARITHMETIC_ERROR, location: 0x1::none, function: 2, code_offset: 4"'],
  ["stopped-at-a-bare-address.txt", `'status: ExecutionFailure { location: "1::coin", function_index: 3, code_offset: 17 }!'`],
  [
    "script-stopped-in-a-wallet.txt",
    '"Transaction execution failed: ExecutionFailure { location: StrView(Script), function: 3, code_offset: 17 }"',
  ],
  ["stopped-by-the-vm.txt", `'VMError { major_status: ARITHMETIC_ERROR, sub_status: None, message: Some("Subtraction overflow"), ${at} }'`],
  [
    "stopped-in-words-of-the-vm.txt",
    `'VMError with status ARITHMETIC_ERROR at location Module ModuleId { address: 01, name: Identifier("coin") } and message ` +
      "Subtraction overflow at code offset 17 in function definition 3'",
  ],
  ["no-error.txt", "hello world"],
  ["json-cut-off.txt", `'{"vm_status":'`],
  ["no-failure.txt", '"Executed successfully"'],
  ["no-module.txt", "0x1 7"],
  ["no-such-module.txt", "stak 7"],
  ["never-read.txt", "0x9::m 7"],
];

goldenOutputs(
  "explain-pasted",
  asked.map(([file, words, stdin]): GoldenCase => {
    return [file, `explain ${words}`.trimEnd(), { env: { DATABASE_URL: "stake.db" }, ...(stdin !== undefined && { stdin }) }];
  }),
);
