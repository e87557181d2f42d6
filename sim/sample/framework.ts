import type { ModuleSpec } from "../module-writer/module-writer.ts";
import { entry, enumeration, event, friendly, grouped, hidden, linked, open, reasons, struct, view } from "./specs.ts";

const address = "0x1";

const modules: readonly ModuleSpec[] = [
  {
    address,
    name: "signer",
    version: 6,
    functions: [
      open("address_of", ["&signer"], ["address"], { calls: ["0x1::signer::borrow_address"] }),
      open("borrow_address", ["&signer"], ["&address"], { native: true }),
    ],
  },
  {
    address,
    name: "string",
    version: 6,
    structs: [struct("String", "copy drop store", { bytes: "vector<u8>" })],
    functions: [
      open("utf8", ["vector<u8>"], ["0x1::string::String"]),
      open("bytes", ["&0x1::string::String"], ["&vector<u8>"]),
      open("append", ["&mut 0x1::string::String", "0x1::string::String"]),
      open("length", ["&0x1::string::String"], ["u64"]),
      hidden("is_utf8", ["&vector<u8>"], ["bool"], { native: true }),
    ],
    errors: reasons(["ENOT_UTF8", "The bytes are no UTF-8 text"]),
  },
  {
    address,
    name: "option",
    version: 10,
    structs: [enumeration("Option", "copy drop store", { None: {}, Some: { e: "T0" } }, [""])],
    functions: [
      open("none", [], ["0x1::option::Option<T0>"], { typeParams: [""] }),
      open("some", ["T0"], ["0x1::option::Option<T0>"], { typeParams: [""] }),
      open("is_some", ["&0x1::option::Option<T0>"], ["bool"], { typeParams: [""] }),
      open("destroy_some", ["0x1::option::Option<T0>"], ["T0"], { typeParams: [""] }),
    ],
    errors: reasons(["ENOTHING_INSIDE", "The option holds no value"]),
  },
  {
    address,
    name: "event",
    functions: [
      open("emit", ["T0"], [], { typeParams: ["drop store"], calls: ["0x1::event::write_event<T0>"] }),
      hidden("write_event", ["T0"], [], { typeParams: ["drop store"], native: true }),
    ],
  },
  {
    address,
    name: "object",
    version: 8,
    structs: [
      { ...struct("ObjectGroup", "", { dummy_field: "bool" }), attributes: [{ kind: 2, args: ["global"] }] },
      grouped("ObjectCore", "0x1::object::ObjectGroup", { owner: "address", is_transferable: "bool" }),
      struct("Object", "copy drop store", { inner: "address" }, ["phantom"]),
      struct("ConstructorRef", "drop", { self: "address" }),
      event("Moved", { object: "address", from: "address", to: "address" }),
    ],
    functions: [
      open("create", ["address"], ["0x1::object::ConstructorRef"]),
      view("owner", ["0x1::object::Object<T0>"], ["address"], { typeParams: ["key"], acquires: ["ObjectCore"] }),
      entry("transfer", ["&signer", "0x1::object::Object<T0>", "address"], { typeParams: ["key"], acquires: ["ObjectCore"] }),
      hidden("exists_at", ["address"], ["bool"], { typeParams: ["key"], native: true }),
    ],
    errors: reasons(["ENO_OBJECT", "There is no object at this address"], ["ENOT_OWNER", "Only the owner may do this"]),
  },
  {
    address,
    name: "account",
    friends: ["0x1::coin"],
    structs: [
      struct("Account", "key", { authentication_key: "vector<u8>", sequence_number: "u64" }),
      struct("SignerCapability", "drop store", { account: "address" }),
    ],
    functions: [
      entry("create", ["address"], { calls: ["0x1::account::create_unchecked"] }),
      entry("rotate_key", ["&signer", "vector<u8>"], { acquires: ["Account"] }),
      view("sequence_number", ["address"], ["u64"], { acquires: ["Account"] }),
      friendly("create_unchecked", ["address"], ["signer"], { calls: ["0x1::account::create_signer"] }),
      hidden("create_signer", ["address"], ["signer"], { native: true }),
    ],
    errors: reasons(["EALREADY_THERE", "The account exists already"], ["EKEY_LENGTH", "An authentication key has 32 bytes"]),
  },
  {
    address,
    name: "coin",
    structs: [
      struct("Coin", "store", { value: "u64" }, ["phantom"]),
      struct("CoinStore", "key", { coin: "0x1::coin::Coin<T0>", frozen: "bool" }, ["phantom"]),
      struct(
        "CoinInfo",
        "key",
        { name: "0x1::string::String", symbol: "0x1::string::String", decimals: "u8", supply: "0x1::option::Option<u128>" },
        ["phantom"],
      ),
      struct("MintCapability", "copy store", { dummy_field: "bool" }, ["phantom"]),
      event("Deposited", { account: "address", amount: "u64" }),
    ],
    functions: [
      view("balance", ["address"], ["u64"], { typeParams: [""], acquires: ["CoinStore"] }),
      entry("transfer", ["&signer", "address", "u64"], {
        typeParams: [""],
        acquires: ["CoinStore"],
        calls: [
          ...["0x1::signer::address_of", "0x1::coin::assert_not_frozen<T0>", "0x1::coin::extract<T0>", "0x1::coin::merge<T0>"],
          "0x1::event::emit<0x1::coin::Deposited>",
        ],
      }),
      open("mint", ["u64", "&0x1::coin::MintCapability<T0>"], ["0x1::coin::Coin<T0>"], { typeParams: [""], acquires: ["CoinInfo"] }),
      open("merge", ["&mut 0x1::coin::Coin<T0>", "0x1::coin::Coin<T0>"], [], { typeParams: [""] }),
      open("extract", ["&mut 0x1::coin::Coin<T0>", "u64"], ["0x1::coin::Coin<T0>"], { typeParams: [""] }),
      open("value", ["&0x1::coin::Coin<T0>"], ["u64"], { typeParams: [""] }),
      hidden("assert_not_frozen", ["&0x1::coin::CoinStore<T0>"], [], { typeParams: [""] }),
    ],
    errors: reasons(
      ["EFROZEN", "The store is frozen"],
      ["ETOO_LITTLE", "There is less in the store than is taken out"],
      ["ENOT_REGISTERED", "The account has no store for this coin"],
    ),
    dependencies: ["0x1::account", "0x1::signer", "0x1::event"],
  },
];

/** A framework in small at 0x1: what applications import, with the shapes that real frameworks have. */
export const frameworkModules: readonly ModuleSpec[] = modules.map((module) => linked(module, modules));
