// The largest allowed size of each part of a module. Source: aptos-core `third_party/move/move-binary-format/src/file_format_common.rs`
// (the `…_MAX` constants) and `move-core/types/src/value.rs` (variants), branch main, 2026.

/** The newest bytecode version this reader knows. */
export const BYTECODE_VERSION_MAX = 10;

/**
 * Bytes of a module: no chain stores a larger state item (`max_bytes_per_write_op` in aptos-core
 * `aptos-move/aptos-gas-schedule/src/gas_schedule/transaction.rs`). The largest real framework module has 29,892.
 */
export const MODULE_SIZE_MAX = 1 << 20;
/** Rows of a table: an index cannot name more, so further rows would only cost memory. */
export const TABLE_ROWS_MAX = 65_536;

export const TABLE_INDEX_MAX = 65_535;
/** Table headers of a module. */
export const TABLE_COUNT_MAX = 255;
/** A table's offset, and its length in bytes. */
export const TABLE_SIZE_MAX = 0xffff_ffff;

/** Bytes of an identifier. Chains hold a few longer ones from before the limit; today's nodes refuse those too. */
export const IDENTIFIER_SIZE_MAX = 255;
/** Bytes of a constant. */
export const CONSTANT_SIZE_MAX = 65_535;
/** Bytes of a metadata key, and of its value. */
export const METADATA_KEY_SIZE_MAX = 1_023;
export const METADATA_VALUE_SIZE_MAX = 65_535;

/** Types of one signature. */
export const SIGNATURE_SIZE_MAX = 255;
export const TYPE_DEPTH_MAX = 256;
/** Type parameters of one item, and arguments of one type. */
export const TYPE_PARAMETER_COUNT_MAX = 255;
/** A type parameter's index. The node's constant says 65536, but its u16 cannot hold that. */
export const TYPE_PARAMETER_INDEX_MAX = 65_535;

export const ACQUIRES_COUNT_MAX = 255;
/** Fields of a struct or of one variant. */
export const FIELD_COUNT_MAX = 255;
export const FIELD_OFFSET_MAX = 255;
export const VARIANT_COUNT_MAX = 127;
export const VARIANT_OFFSET_MAX = 127;

export const ACCESS_SPECIFIER_COUNT_MAX = 64;
export const FUNCTION_ATTRIBUTE_COUNT_MAX = 16;

export const INSTRUCTION_COUNT_MAX = 65_535;
/** A local variable's index; parameters count as locals. */
export const LOCAL_INDEX_MAX = 255;
/** Locals and parameters of one function together. */
export const LOCAL_COUNT_MAX = 255;
