import type { ModuleSpec } from "../module-writer/module-writer.ts";
import { entry, friendly, reasons, struct, view } from "./specs.ts";

/** An object that holds code and has no account record. */
export const vestingAddress = "0xd1e70c3a98b54f26e17bd0934a6c85f2037de94b16ac58f30b72c1d964ea85f7";

/** Coins that are released over time, published to an object. */
export const vestingModules: readonly ModuleSpec[] = [
  {
    address: vestingAddress,
    name: "vesting",
    version: 6,
    structs: [
      struct(
        "Schedule",
        "key",
        [
          ["locked", "0x1::coin::Coin<T0>"],
          ["start_seconds", "u64"],
          ["end_seconds", "u64"],
          ["beneficiary", "address"],
        ],
        { typeParams: ["phantom"] },
      ),
    ],
    functions: [
      entry("lock", ["&signer", "address", "u64", "u64"], { typeParams: [""] }),
      entry("claim", ["&signer", "address"], { typeParams: [""], acquires: ["Schedule"] }),
      view("claimable", ["address", "u64"], ["u64"], { typeParams: [""], acquires: ["Schedule"] }),
      friendly("revoke", ["address"], ["0x1::coin::Coin<T0>"], { typeParams: [""], acquires: ["Schedule"] }),
    ],
    errors: reasons(["ENOTHING_DUE", "Nothing can be claimed yet"], ["ENOT_BENEFICIARY", "Only the beneficiary may claim"]),
    dependencies: ["0x1::signer"],
  },
];
