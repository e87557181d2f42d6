const text = (description: string, more: object = {}) => ({ type: "string", description, ...more });
const u64 = (description: string) => text(description, { pattern: "^(0|[1-9][0-9]{0,19})$" });
const flag = (description: string) => ({ type: "boolean", description });
const count = (description: string) => ({ type: "integer", minimum: 0, description });
const list = (description: string, items: object) => ({ type: "array", description, items });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (description: string, properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: "object",
  description,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
  additionalProperties: false,
});

const address = text("An account address as a node prints it: 0x and hex without leading zeros", {
  pattern: "^0x(0|[1-9a-f][0-9a-f]{0,63})$",
});
const bytes = text("Bytes: 0x and two lower-case hex digits each", { pattern: "^0x([0-9a-f]{2})*$" });
const digest = text("SHA-256 over the snapshot's modules, 64 hex digits: equal for equal content", { pattern: "^[0-9a-f]{64}$" });
const abilities = list("Abilities", { type: "string", enum: ["copy", "drop", "store", "key"] });
const typeParameters = list("Type parameters", object("One type parameter", { constraints: abilities }));
const types = (description: string) => list(description, text("A Move type"));
const fields = list("Fields", object("One field", { name: text("Its name"), type: text("Its Move type") }));

const snapshot = {
  ledger_version: u64("The ledger version that was read"),
  status: { type: "string", enum: ["sealed", "sealed_with_gaps"] },
  sealed_at: text("When it was sealed", { format: "date-time" }),
  accounts: count("Accounts that answered"),
  modules: count("Their modules"),
  gaps: count("Accounts that did not answer"),
  digest,
  ledger_time: {
    type: ["string", "null"],
    format: "date-time",
    description: "When the ledger made the version, by its own clock; null when nothing bounds it on both sides",
  },
  ledger_time_error_ms: {
    type: ["integer", "null"],
    description: "How far the true time may lie from `ledger_time`, in milliseconds; 0 when a node told it for this very version",
  },
};
const chain = { type: ["integer", "null"], description: "The chain; null while nothing is sealed" };

/** The shapes of bodies, by the names that the description refers to. Where a node has the same shape, the name is the node's. */
export const schemas = {
  AccountData: object("An account's record", { sequence_number: u64("Its sequence number"), authentication_key: bytes }),
  MoveFunction: object("A function that others may call, or that is a view", {
    name: text("Its name"),
    visibility: { type: "string", enum: ["private", "public", "friend"] },
    is_entry: flag("Whether a transaction can call it"),
    is_view: flag("Whether it is marked as a view"),
    generic_type_params: typeParameters,
    params: types("Types of its parameters"),
    return: types("Types that it returns"),
  }),
  MoveStruct: object(
    "A struct or enum",
    {
      name: text("Its name"),
      is_native: flag("Whether the node implements it"),
      is_event: flag("Whether it is marked as an event"),
      is_enum: flag("Whether it is an enum"),
      abilities,
      generic_type_params: typeParameters,
      fields,
      variants: list("An enum's variants", object("One variant", { name: text("Its name"), fields })),
    },
    ["is_event", "is_enum", "variants"],
  ),
  MoveModule: object("A module's interface", {
    address,
    name: text("Its name"),
    friends: list("Modules that may call its friend functions", text("0xaddress::name")),
    exposed_functions: list("Functions", ref("MoveFunction")),
    structs: list("Structs and enums", ref("MoveStruct")),
  }),
  MoveModuleBytecode: object("A module", {
    bytecode: bytes,
    abi: {
      oneOf: [ref("MoveModule"), { type: "null" }],
      description: "Null where a node of the served generation cannot read the bytecode",
    },
  }),
  MoveModules: list("A page of modules, in the order of their state keys", ref("MoveModuleBytecode")),
  IndexResponse: object("The state of the ledger that this service holds", {
    chain_id: { type: "integer", minimum: 0, maximum: 255, description: "The chain" },
    epoch: u64("Epoch of the newest snapshot"),
    ledger_version: u64("The newest sealed ledger version"),
    oldest_ledger_version: u64("The oldest sealed ledger version"),
    ledger_timestamp: u64("Microseconds since 1970 of the newest snapshot"),
    node_role: { type: "string", enum: ["full_node", "validator"] },
    oldest_block_height: u64("Block height of the oldest snapshot"),
    block_height: u64("Block height of the newest snapshot"),
    git_hash: text("The build that answers"),
    encryption_key: { type: ["string", "null"] },
  }),
  HealthCheckSuccess: object("The service can answer", { message: text("aptos-node:ok") }),
  Info: { type: "object", description: "A description of this service", additionalProperties: true },
  Snapshot: object("A sealed snapshot", snapshot),
  Snapshots: object("Sealed snapshots, newest first", {
    chain_id: chain,
    snapshots: list("Snapshots", ref("Snapshot")),
    next_before: { type: ["string", "null"], description: "The value of `before` for the next page; null on the last" },
  }),
  SnapshotWithGaps: object("A sealed snapshot and the accounts that it has no answer about", {
    chain_id: chain,
    ...snapshot,
    missing: list(
      "Accounts that it has no answer about, 1000 at most",
      object("One account", { address, reason: text("The class of the failure, as in the view gaps") }),
    ),
  }),
  AptosError: object("An error", {
    message: text("What is wrong, for people"),
    error_code: text("What is wrong, for programs"),
    vm_error_code: { type: ["integer", "null"], description: "Always null on reads" },
  }),
} as const;
