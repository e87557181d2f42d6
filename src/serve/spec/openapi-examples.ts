const constraints = [{ constraints: [] }];
const generic = { is_entry: false, is_view: false, generic_type_params: constraints, params: ["&T0"] };

/** The shortest module of a framework that has two functions: 0x1::bcs. */
const bcsModule = {
  bytecode:
    "0xa11ceb0b0700000a0701000203020e05100907191d08362010561d0c730800000001000101000100020002010001010609000103010a02036263730f73657269616c697a65645f73697a6508746f5f6279746573000000000000000000000000000000000000000000000000000000000000000114636f6d70696c6174696f6e5f6d65746164617461070003322e300131000102000101020000",
  abi: {
    address: "0x1",
    name: "bcs",
    friends: [],
    exposed_functions: [
      { name: "serialized_size", visibility: "public", ...generic, return: ["u64"] },
      { name: "to_bytes", visibility: "public", ...generic, return: ["vector<u8>"] },
    ],
    structs: [],
  },
};
const snapshot = {
  ledger_version: "3456004",
  status: "sealed",
  sealed_at: "2026-03-02T03:20:11.000Z",
  accounts: 5,
  modules: 13,
  gaps: 0,
  digest: "3f1c0e5f6b7d24b1a0c9e8d7f6a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3",
  ledger_time: "2026-03-02T03:20:09.114Z",
  ledger_time_error_ms: 0,
};

/** One body for each shape that an operation answers with, for the description; tests hold them against the schemas. */
export const examples = {
  AccountData: { sequence_number: "42", authentication_key: "0xb0b8f3d2c6a14e7790de5a31c2f48b670a9d1e5c3f72846b9ad05e1c7f382646" },
  MoveModuleBytecode: bcsModule,
  MoveModules: [bcsModule],
  IndexResponse: {
    chain_id: 4,
    epoch: "12",
    ledger_version: "3456004",
    oldest_ledger_version: "2592000",
    ledger_timestamp: "1772421611000000",
    node_role: "full_node",
    oldest_block_height: "1036800",
    block_height: "1382401",
    git_hash: "movedex-0.2.0",
    encryption_key: null,
  },
  HealthCheckSuccess: { message: "aptos-node:ok" },
  Snapshots: { chain_id: 4, snapshots: [snapshot], next_before: null },
  SnapshotWithGaps: { chain_id: 4, ...snapshot, missing: [] },
} as const;
