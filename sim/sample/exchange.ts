import type { FunctionSpec, ModuleSpec, StructSpec } from "../module-writer/module-writer.ts";
import { frameworkModules } from "./framework.ts";
import { entry, enumeration, event, friendly, hidden, linked, open, reasons, struct, view } from "./specs.ts";

/** Where the exchange lives. */
export const exchangeAddress = "0x8f3c51b6e0d24a7795ac1e8d3f60b2749d18e5c07ab34f6219c4d7e08b5a3f12";

const here = exchangeAddress;
const pair = ["", ""];
const poolType = `${here}::pool::Pool<T0, T1>`;

const shareStruct: StructSpec = struct("Share", "store", { value: "u64" }, ["phantom", "phantom"]);

/** Two tokens against each other, as the exchange began. */
const poolAtFirst: ModuleSpec = {
  address: here,
  name: "pool",
  friends: [`${here}::router`],
  structs: [
    struct("Pool", "key", { left: "0x1::coin::Coin<T0>", right: "0x1::coin::Coin<T1>", fee_per_mille: "u16" }, ["phantom", "phantom"]),
    shareStruct,
    event("Swapped", { trader: "address", amount_in: "u64", amount_out: "u64" }),
  ],
  functions: [
    entry("create", ["&signer", "u16"], { typeParams: pair, calls: ["0x1::signer::address_of"] }),
    open("add", ["0x1::coin::Coin<T0>", "0x1::coin::Coin<T1>"], [`${here}::pool::Share<T0, T1>`], { typeParams: pair, acquires: ["Pool"] }),
    view("spot_price", [], ["u128"], { typeParams: pair, acquires: ["Pool"] }),
    friendly("swap", ["0x1::coin::Coin<T0>"], ["0x1::coin::Coin<T1>"], {
      typeParams: pair,
      acquires: ["Pool"],
      calls: ["0x1::coin::value<T0>", "0x1::coin::merge<T0>", "0x1::coin::extract<T1>", `0x1::event::emit<${here}::pool::Swapped>`],
    }),
    hidden("borrow", ["address"], [`&${poolType}`], { typeParams: pair, abortCode: 2 }),
  ],
  errors: reasons(["EPOOL_EXISTS", "These two coins have a pool already"], ["ENO_POOL", "These two coins have no pool"]),
  dependencies: ["0x1::event", "0x1::signer"],
};

const quote: FunctionSpec = view("quote", ["u64"], ["u64", "u64"], { typeParams: pair, acquires: ["Pool"] });

/** The pool after its upgrade: the price is gone, a quote came, one more thing can go wrong. */
const poolAfterUpgrade: ModuleSpec = {
  ...poolAtFirst,
  functions: [...(poolAtFirst.functions ?? []).filter(({ name }) => name !== "spot_price"), quote],
  errors: reasons(
    ["EPOOL_EXISTS", "These two coins have a pool already"],
    ["ENO_POOL", "These two coins have no pool"],
    ["EPRICE_MOVED", "The price moved further than the trader allows"],
  ),
};

const router: ModuleSpec = {
  address: here,
  name: "router",
  functions: [
    entry("swap_exact_in", ["&signer", "u64", "u64"], {
      typeParams: pair,
      calls: [`${here}::pool::swap<T0, T1>`, `${here}::router::assert_minimum`],
    }),
    entry("swap_through", ["&signer", "u64", "u64"], {
      typeParams: ["", "", ""],
      calls: [`${here}::pool::swap<T0, T1>`, `${here}::pool::swap<T1, T2>`, `${here}::router::assert_minimum`],
    }),
    hidden("assert_minimum", ["u64", "u64"], [], { abortCode: 1 }),
  ],
  errors: reasons(["ETOO_FEW_OUT", "The trade would give less than the trader asks for"]),
  dependencies: [`${here}::pool`, "0x1::coin", "0x1::signer"],
};

const curve: ModuleSpec = {
  address: here,
  name: "curve",
  version: 9,
  functions: [
    open("out_for_in", ["u64", "u64", "u64", "u16"], ["u64"], { calls: [`${here}::curve::multiply_divide`] }),
    open("drift", ["u128", "u128"], ["i64"]),
    hidden("multiply_divide", ["u256", "u256", "u256"], ["u256"]),
  ],
};

const orders: ModuleSpec = {
  address: here,
  name: "orders",
  version: 10,
  structs: [
    enumeration("Order", "drop store", {
      Limit: { price: "u128", amount: "u64" },
      Stop: { trigger: "u128", limit: "0x1::option::Option<u128>", amount: "u64" },
    }),
    struct("Book", "key", { orders: `vector<${here}::orders::Order>` }),
  ],
  functions: [
    entry("place", ["&signer", "u128", "u64", "bool"], { acquires: ["Book"], calls: ["0x1::signer::address_of"] }),
    view("depth", ["address"], ["u64"], { acquires: ["Book"] }),
    open("pack$Order$Limit", ["u128", "u64"], [`${here}::orders::Order`], { marks: [{ name: "pack_variant", operand: 0 }] }),
  ],
  errors: reasons(["EBOOK_FULL", "The book takes no more orders"]),
  dependencies: [`${here}::pool`, "0x1::signer"],
};

const link = (module: ModuleSpec): ModuleSpec => linked(module, [...frameworkModules, poolAtFirst]);

/** The exchange on the first night, and what the day after changes. */
export const exchangeModules = {
  atFirst: [link(poolAtFirst), link(router), link(curve)],
  upgradedPool: link(poolAfterUpgrade),
  newModule: link(orders),
} as const;
