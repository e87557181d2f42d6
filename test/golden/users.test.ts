import { beforeAll } from "vitest";
import { writeModule } from "../../sim/index.ts";
import { handmade, nameRow, row, sealModules } from "../support/index.ts";
import { goldenOutputs, useGoldenPlace } from "./support/golden.ts";

// What `uses` says of callers, of function values and of structs.

useGoldenPlace();

/** Module 0x1::`name`, whose functions `f` and `g` are: f calls `callee`::f of 0x1, g calls f. */
const calling = (name: string, callee: string): Uint8Array =>
  handmade(7, {
    identifiers: [nameRow(name), nameRow(callee), nameRow("f"), nameRow("g")],
    moduleHandles: [row(0, 0), row(0, 1)],
    signatures: [row(0)],
    functionHandles: [row(0, 2, 0, 0, 0, 1), row(0, 3, 0, 0, 0, 1), row(1, 2, 0, 0, 0, 1)],
    functionDefinitions: [row(0, 1, 0, 0, 0, 2, 0x11, 2, 0x02), row(1, 0, 0, 0, 0, 2, 0x11, 0, 0x02)],
  });
const base = writeModule({
  address: "0x1",
  name: "base",
  functions: [
    { name: "f", visibility: "public" },
    { name: "alone", visibility: "public" },
  ],
});
const [near, far] = [calling("near", "base"), calling("far", "near")];
const [pack, call, pop, ret] = [row(0x58, 2, 0), row(0x11, 2), row(0x01), row(0x02)];
/** 0x1::user: `f` makes a function value of base::f, `g` does and calls it too. */
const valuing = handmade(8, {
  identifiers: ["user", "base", "f", "g"].map(nameRow),
  moduleHandles: [row(0, 0), row(0, 1)],
  signatures: [row(0)],
  functionHandles: [row(0, 2, 0, 0, 0, 1, 0), row(0, 3, 0, 0, 0, 1, 0), row(1, 2, 0, 0, 0, 1, 0)],
  functionDefinitions: [row(0, 1, 0, 0, 0, 3, pack, pop, ret), row(1, 1, 0, 0, 0, 4, pack, pop, call, ret)],
});
const bank = writeModule({
  address: "0x2",
  name: "bank",
  structs: [{ name: "Vault", abilities: ["key"], fields: [["sum", "u64"]] }],
  functions: [
    { name: "open", code: [row(0x12, 0), row(0x2d, 0), ret] },
    { name: "look", code: [row(0x29, 0), row(0x2b, 0), ret] },
    { name: "idle", code: [ret] },
  ],
});
const user = writeModule({
  address: "0x3",
  name: "user",
  functions: [{ name: "f", visibility: "public", params: ["&0x2::bank::Vault"] }],
});

/** In the second night an account gives no answer; in the third a module is too new to be read. */
beforeAll(() =>
  sealModules("calls.db", [
    { version: 100n, accounts: { "0x1": [base, near] } },
    { version: 200n, accounts: { "0x1": [base, near, far], "0x2": "timeout" } },
    { version: 300n, accounts: { "0x1": [base, near, far.with(4, 99)] } },
  ]),
);
beforeAll(() => sealModules("values.db", [{ version: 100n, accounts: { "0x1": [base, valuing, near], "0x2": [bank], "0x3": [user] } }]));

goldenOutputs("uses-kinds", [
  ["through-others.txt", "uses 0x1::base::f@200 --db calls.db"],
  ["nobody.txt", "uses base::alone --at 200 --db calls.db"],
  ["no-such-function.txt", "uses base::g --db calls.db"],
  ["an-account.txt", "uses 0x1 --db calls.db"],
  ["no-such-module.txt", "uses bass --db calls.db"],
  ["too-new.txt", "uses far --db calls.db"],
  ["two-versions.txt", "uses base@100 --at 200 --db calls.db"],
  ["function-values.txt", "uses 0x1::base::f --db values.db"],
  ["function-values.json", "uses 0x1::base::f --db values.db --json"],
  ["struct.txt", "uses 0x2::bank::Vault --db values.db"],
  ["struct.json", "uses 0x2::bank::Vault --db values.db --json"],
  ["struct-as-a-graph.txt", "uses 0x2::bank::Vault --db values.db --format dot"],
  ["struct-with-a-slip.txt", "uses 0x2::bank::Vaul --db values.db"],
]);
