/**
 * Codes, names and meanings. Source: `StatusCode`, `StatusCode::status_type` and `VMStatus::keep_or_discard` in aptos-core
 * `third_party/move/move-core/types/src/vm_status.rs`, read as of 2026.
 */
const STATUSES: readonly (readonly [code: number, name: string, meaning: string])[] = [
  // Validation: of a transaction that is refused before it is executed.
  [0, "UNKNOWN_VALIDATION_STATUS", "the validation failed for a reason that has no status"],
  [1, "INVALID_SIGNATURE", "the signature does not fit the transaction"],
  [2, "INVALID_AUTH_KEY", "the public key does not fit the account's authentication key"],
  [3, "SEQUENCE_NUMBER_TOO_OLD", "the sequence number was used already: the account's is higher"],
  [4, "SEQUENCE_NUMBER_TOO_NEW", "the sequence number is too far ahead of the account's"],
  [5, "INSUFFICIENT_BALANCE_FOR_TRANSACTION_FEE", "the balance is below the maximum gas amount times the gas unit price"],
  [6, "TRANSACTION_EXPIRED", "the transaction's expiration time has passed"],
  [7, "SENDING_ACCOUNT_DOES_NOT_EXIST", "the sender's account does not exist on this chain"],
  [8, "REJECTED_WRITE_SET", "the write set does not meet the requirements for one"],
  [9, "INVALID_WRITE_SET", "the write set cannot be applied to the current state"],
  [10, "EXCEEDED_MAX_TRANSACTION_SIZE", "the transaction is larger than the chain allows"],
  [11, "UNKNOWN_SCRIPT", "the script is not on the list of allowed scripts"],
  [12, "UNKNOWN_MODULE", "the transaction tries to publish a module where that is not allowed"],
  [13, "MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND", "the maximum gas amount is above what the chain allows"],
  [14, "MAX_GAS_UNITS_BELOW_MIN_TRANSACTION_GAS_UNITS", "the maximum gas amount does not cover the least that such a transaction costs"],
  [15, "GAS_UNIT_PRICE_BELOW_MIN_BOUND", "the gas unit price is below the chain's minimum"],
  [16, "GAS_UNIT_PRICE_ABOVE_MAX_BOUND", "the gas unit price is above the chain's maximum"],
  [17, "INVALID_GAS_SPECIFIER", "the gas currency is malformed or not accepted"],
  [18, "SENDING_ACCOUNT_FROZEN", "the sender's account is frozen"],
  [19, "UNABLE_TO_DESERIALIZE_ACCOUNT", "the sender's account record cannot be read"],
  [20, "CURRENCY_INFO_DOES_NOT_EXIST", "the chain has no information about the currency"],
  [21, "INVALID_MODULE_PUBLISHER", "the sender may not publish modules"],
  [22, "NO_ACCOUNT_ROLE", "the sender's account has no role"],
  [23, "BAD_CHAIN_ID", "the transaction was signed for another chain"],
  [24, "SEQUENCE_NUMBER_TOO_BIG", "the sequence number is so large that the next one would overflow"],
  [25, "BAD_TRANSACTION_FEE_CURRENCY", "the gas currency is not registered as one for fees"],
  [26, "FEATURE_UNDER_GATING", "the transaction uses a feature that is not enabled on this chain"],
  [27, "SECONDARY_KEYS_ADDRESSES_COUNT_MISMATCH", "there are not as many secondary signer addresses as public keys"],
  [28, "SIGNERS_CONTAIN_DUPLICATES", "an address appears twice among the signers"],
  [29, "SEQUENCE_NONCE_INVALID", "the sequence nonce is too old, too new, or used already"],
  [30, "CHAIN_ACCOUNT_INFO_DOES_NOT_EXIST", "the chain's own account information cannot be read"],
  [31, "ACCOUNT_NOT_MULTISIG", "the account is not a multisig account"],
  [32, "NOT_MULTISIG_OWNER", "the sender is not an owner of the multisig account"],
  [33, "MULTISIG_TRANSACTION_NOT_FOUND", "the multisig account has no such pending transaction"],
  [34, "MULTISIG_TRANSACTION_INSUFFICIENT_APPROVALS", "the pending transaction has too few approvals"],
  [35, "MULTISIG_TRANSACTION_PAYLOAD_DOES_NOT_MATCH_HASH", "the payload does not have the hash that the owners approved"],
  [36, "GAS_PAYER_ACCOUNT_MISSING", "the account that is to pay for gas does not exist"],
  [37, "INSUFFICIENT_BALANCE_FOR_REQUIRED_DEPOSIT", "the balance does not cover the deposit that the transaction requires"],
  [38, "GAS_PARAMS_MISSING", "the chain's gas parameters cannot be read"],
  [39, "REQUIRED_DEPOSIT_INCONSISTENT_WITH_TXN_MAX_GAS", "the required deposit does not fit the maximum gas amount"],
  [40, "MULTISIG_TRANSACTION_PAYLOAD_DOES_NOT_MATCH", "the payload is not the one that is stored on chain"],
  [41, "ACCOUNT_AUTHENTICATION_GAS_LIMIT_EXCEEDED", "the account's own authentication function used too much gas"],
  [42, "NONCE_ALREADY_USED", "the nonce of an orderless transaction was used already"],
  [43, "EMPTY_PAYLOAD_PROVIDED", "the transaction has no payload"],
  [44, "TRANSACTION_EXPIRATION_TOO_FAR_IN_FUTURE", "the expiration time is further ahead than the chain allows"],
  [45, "INVALID_NUMBER_OF_AUTHENTICATION_PROOFS", "there are too many or too few authentication proofs"],
  // Verification: of bytecode that the verifier or linker refuses, and of calls with the wrong arguments.
  [1000, "UNKNOWN_VERIFICATION_ERROR", "the verification failed for a reason that has no status"],
  [1001, "INDEX_OUT_OF_BOUNDS", "an index of the bytecode points outside of its table"],
  [1003, "INVALID_SIGNATURE_TOKEN", "a type stands where it may not, such as a reference inside a struct"],
  [1005, "RECURSIVE_STRUCT_DEFINITION", "a struct contains itself"],
  [1006, "FIELD_MISSING_TYPE_ABILITY", "a field's type lacks an ability that the struct declares"],
  [1007, "INVALID_FALL_THROUGH", "a function's code ends without a return, an abort or a jump"],
  [1009, "NEGATIVE_STACK_SIZE_WITHIN_BLOCK", "an instruction takes more values than are on the stack"],
  [1011, "INVALID_MAIN_FUNCTION_SIGNATURE", "a script or entry function has parameters or results that it may not have"],
  [1012, "DUPLICATE_ELEMENT", "a table of the bytecode has the same row twice"],
  [1013, "INVALID_MODULE_HANDLE", "a definition refers to another module than its own"],
  [1014, "UNIMPLEMENTED_HANDLE", "the module declares a struct or function and does not define it"],
  [1017, "LOOKUP_FAILED", "a function or struct that the bytecode refers to is not in the module it names"],
  [1020, "TYPE_MISMATCH", "a value has another type than is needed"],
  [1021, "MISSING_DEPENDENCY", "a module that the bytecode depends on is not on chain"],
  [1023, "POP_WITHOUT_DROP_ABILITY", "a value without the ability drop is thrown away"],
  [1025, "BR_TYPE_MISMATCH_ERROR", "a branch tests a value that is not a bool"],
  [1026, "ABORT_TYPE_MISMATCH_ERROR", "an abort code is not a u64"],
  [1027, "STLOC_TYPE_MISMATCH_ERROR", "a value is stored in a local of another type"],
  [1028, "STLOC_UNSAFE_TO_DESTROY_ERROR", "a local is overwritten whose value cannot be dropped or is borrowed"],
  [1029, "UNSAFE_RET_LOCAL_OR_RESOURCE_STILL_BORROWED", "a function returns while a local or resource is still borrowed"],
  [1030, "RET_TYPE_MISMATCH_ERROR", "a function returns values of other types than it declares"],
  [1031, "RET_BORROWED_MUTABLE_REFERENCE_ERROR", "a function returns a mutable reference that is borrowed elsewhere"],
  [1032, "FREEZEREF_TYPE_MISMATCH_ERROR", "a value is frozen that is not a mutable reference"],
  [1033, "FREEZEREF_EXISTS_MUTABLE_BORROW_ERROR", "a reference is frozen while it is mutably borrowed"],
  [1034, "BORROWFIELD_TYPE_MISMATCH_ERROR", "a field is borrowed from a value of another type"],
  [1035, "BORROWFIELD_BAD_FIELD_ERROR", "a field is borrowed that cannot be borrowed"],
  [1036, "BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR", "a field is borrowed while it is mutably borrowed"],
  [1037, "COPYLOC_UNAVAILABLE_ERROR", "a local is copied that has no value"],
  [1038, "COPYLOC_WITHOUT_COPY_ABILITY", "a value without the ability copy is copied"],
  [1039, "COPYLOC_EXISTS_BORROW_ERROR", "a local is copied while it is mutably borrowed"],
  [1040, "MOVELOC_UNAVAILABLE_ERROR", "a local is moved that has no value"],
  [1041, "MOVELOC_EXISTS_BORROW_ERROR", "a local is moved while it is borrowed"],
  [1042, "BORROWLOC_REFERENCE_ERROR", "a local that is a reference is borrowed"],
  [1043, "BORROWLOC_UNAVAILABLE_ERROR", "a local is borrowed that has no value"],
  [1044, "BORROWLOC_EXISTS_BORROW_ERROR", "a local is borrowed while it is mutably borrowed"],
  [1045, "CALL_TYPE_MISMATCH_ERROR", "a function is called with arguments of other types"],
  [1046, "CALL_BORROWED_MUTABLE_REFERENCE_ERROR", "a mutable reference is passed on while it is borrowed"],
  [1047, "PACK_TYPE_MISMATCH_ERROR", "a struct is built from values of other types than its fields"],
  [1048, "UNPACK_TYPE_MISMATCH_ERROR", "a value of another type is taken apart as the struct"],
  [1049, "READREF_TYPE_MISMATCH_ERROR", "a value is read through something that is not a reference"],
  [1050, "READREF_WITHOUT_COPY_ABILITY", "a value without the ability copy is read through a reference"],
  [1051, "READREF_EXISTS_MUTABLE_BORROW_ERROR", "a reference is read while it is mutably borrowed"],
  [1052, "WRITEREF_TYPE_MISMATCH_ERROR", "a value of another type is written through a reference"],
  [1053, "WRITEREF_WITHOUT_DROP_ABILITY", "a value without the ability drop is overwritten"],
  [1054, "WRITEREF_EXISTS_BORROW_ERROR", "a reference is written while it is borrowed"],
  [1055, "WRITEREF_NO_MUTABLE_REFERENCE_ERROR", "a value is written through a reference that is not mutable"],
  [1056, "INTEGER_OP_TYPE_MISMATCH_ERROR", "an integer operation has operands of other or different types"],
  [1057, "BOOLEAN_OP_TYPE_MISMATCH_ERROR", "a boolean operation has operands that are not bool"],
  [1058, "EQUALITY_OP_TYPE_MISMATCH_ERROR", "two values of different types are compared, or values that cannot be dropped"],
  [
    1059,
    "EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT",
    "`exists` is asked about a type without key, or with something else than an address",
  ],
  [1060, "BORROWGLOBAL_TYPE_MISMATCH_ERROR", "`borrow_global` has something else than an address"],
  [1061, "BORROWGLOBAL_WITHOUT_KEY_ABILITY", "`borrow_global` is used with a type without key"],
  [1062, "MOVEFROM_TYPE_MISMATCH_ERROR", "`move_from` has something else than an address"],
  [1063, "MOVEFROM_WITHOUT_KEY_ABILITY", "`move_from` is used with a type without key"],
  [1064, "MOVETO_TYPE_MISMATCH_ERROR", "`move_to` has something else than a signer and a resource"],
  [1065, "MOVETO_WITHOUT_KEY_ABILITY", "`move_to` is used with a type without key"],
  [1067, "MODULE_ADDRESS_DOES_NOT_MATCH_SENDER", "the module's address is not that of the account it is published under"],
  [1068, "NO_MODULE_HANDLES", "the bytecode names no module, not even itself"],
  [1069, "POSITIVE_STACK_SIZE_AT_BLOCK_END", "a block of code leaves values on the stack"],
  [1070, "MISSING_ACQUIRES_ANNOTATION", "a function uses a resource that its `acquires` does not name"],
  [1071, "EXTRANEOUS_ACQUIRES_ANNOTATION", "a function's `acquires` names a resource that it does not use"],
  [1072, "DUPLICATE_ACQUIRES_ANNOTATION", "a function's `acquires` names a resource twice"],
  [1073, "INVALID_ACQUIRES_ANNOTATION", "a function's `acquires` names something that is not a resource of the module"],
  [1074, "GLOBAL_REFERENCE_ERROR", "a resource is used while a reference to it is alive"],
  [1075, "CONSTRAINT_NOT_SATISFIED", "a type argument lacks an ability that the type parameter requires"],
  [1076, "NUMBER_OF_TYPE_ARGUMENTS_MISMATCH", "there are too many or too few type arguments"],
  [1077, "LOOP_IN_INSTANTIATION_GRAPH", "generic functions call each other with ever larger types"],
  [1080, "ZERO_SIZED_STRUCT", "a struct has no field"],
  [1081, "LINKER_ERROR", "a module that is needed is not on chain, or cannot be linked"],
  [1082, "INVALID_CONSTANT_TYPE", "a constant has a type that constants cannot have"],
  [1083, "MALFORMED_CONSTANT_DATA", "a constant's bytes do not fit its type"],
  [1084, "EMPTY_CODE_UNIT", "a function has no code"],
  [1085, "INVALID_LOOP_SPLIT", "a loop's code cannot be followed: blocks of it are apart"],
  [1086, "INVALID_LOOP_BREAK", "a loop is left by a jump to a place that is not its end"],
  [1087, "INVALID_LOOP_CONTINUE", "a loop is continued by a jump to a place that is not its beginning"],
  [1088, "UNSAFE_RET_UNUSED_VALUES_WITHOUT_DROP", "a function returns while it holds values that cannot be dropped"],
  [1089, "TOO_MANY_LOCALS", "a function has more locals than the VM allows"],
  [1090, "GENERIC_MEMBER_OPCODE_MISMATCH", "a generic item is used by an instruction for plain ones, or the other way round"],
  [1091, "FUNCTION_RESOLUTION_FAILURE", "the function that is called is not in its module"],
  [1094, "INVALID_OPERATION_IN_SCRIPT", "a script uses an instruction that only modules may use"],
  [1095, "DUPLICATE_MODULE_NAME", "one transaction publishes two modules of the same name"],
  [1096, "BACKWARD_INCOMPATIBLE_MODULE_UPDATE", "the new module is not compatible with the one on chain"],
  [1097, "CYCLIC_MODULE_DEPENDENCY", "modules depend on each other in a cycle"],
  [1098, "NUMBER_OF_ARGUMENTS_MISMATCH", "the function was called with too many or too few arguments"],
  [1099, "INVALID_PARAM_TYPE_FOR_DESERIALIZATION", "a parameter has a type that a transaction cannot give"],
  [1100, "FAILED_TO_DESERIALIZE_ARGUMENT", "an argument's bytes do not fit the parameter's type"],
  [1101, "NUMBER_OF_SIGNER_ARGUMENTS_MISMATCH", "the function takes another number of signers than the transaction has"],
  [1102, "CALLED_SCRIPT_VISIBLE_FROM_NON_SCRIPT_VISIBLE", "a function for scripts is called by one that is not for scripts"],
  [1103, "EXECUTE_ENTRY_FUNCTION_CALLED_ON_NON_ENTRY_FUNCTION", "the transaction calls a function that is not an entry function"],
  [1104, "INVALID_FRIEND_DECL_WITH_SELF", "a module declares itself as a friend"],
  [1105, "INVALID_FRIEND_DECL_WITH_MODULES_OUTSIDE_ACCOUNT_ADDRESS", "a module declares a friend at another address"],
  [1106, "INVALID_FRIEND_DECL_WITH_MODULES_IN_DEPENDENCIES", "a module declares a friend that it depends on"],
  [1107, "CYCLIC_MODULE_FRIENDSHIP", "modules are friends of each other in a cycle"],
  [1108, "INVALID_PHANTOM_TYPE_PARAM_POSITION", "a phantom type parameter is used where a value of it is needed"],
  [1109, "VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR", "a vector is changed while it is mutably borrowed"],
  [1110, "VEC_BORROW_ELEMENT_EXISTS_MUTABLE_BORROW_ERROR", "an element is borrowed while its vector is mutably borrowed"],
  [1111, "LOOP_MAX_DEPTH_REACHED", "loops are nested deeper than the VM allows"],
  [1112, "TOO_MANY_TYPE_PARAMETERS", "an item has more type parameters than the VM allows"],
  [1113, "TOO_MANY_PARAMETERS", "a function has more parameters than the VM allows"],
  [1114, "TOO_MANY_BASIC_BLOCKS", "a function has more blocks of code than the VM allows"],
  [1115, "VALUE_STACK_OVERFLOW", "a function puts more values on the stack than the VM allows"],
  [1116, "TOO_MANY_TYPE_NODES", "a type is larger than the VM allows"],
  [1117, "VALUE_STACK_PUSH_OVERFLOW", "a block of code pushes more values than the VM allows"],
  [1118, "MAX_DEPENDENCY_DEPTH_REACHED", "modules depend on each other deeper than the VM allows"],
  [1119, "MAX_FUNCTION_DEFINITIONS_REACHED", "the module has more functions than the VM allows"],
  [1120, "MAX_STRUCT_DEFINITIONS_REACHED", "the module has more structs than the VM allows"],
  [1121, "MAX_FIELD_DEFINITIONS_REACHED", "a struct has more fields than the VM allows"],
  [1122, "TOO_MANY_BACK_EDGES", "a function has more jumps backwards than the VM allows"],
  [1123, "EVENT_METADATA_VALIDATION_ERROR", "a struct's event attribute is wrong, or was removed"],
  [1124, "DEPENDENCY_LIMIT_REACHED", "the transaction loads more modules, or larger ones, than the chain allows"],
  [1125, "UNSTABLE_BYTECODE_REJECTED", "the compiler marked the bytecode as unstable, and this network refuses such code"],
  [1126, "PROGRAM_TOO_COMPLEX", "the bytecode is too complex to verify"],
  [1127, "USER_DEFINED_NATIVE_NOT_ALLOWED", "the module declares a native function, which only the framework may"],
  [1128, "MAX_STRUCT_VARIANTS_REACHED", "an enum has more variants than the VM allows"],
  [1129, "TEST_VARIANT_TYPE_MISMATCH_ERROR", "a variant is tested on a value of another type"],
  [1130, "ZERO_VARIANTS_ERROR", "an enum has no variant"],
  [1131, "FEATURE_NOT_ENABLED", "the bytecode uses a feature that is not enabled on this chain"],
  [1132, "INVALID_CLOSURE_MASK", "a closure captures other arguments than its function has"],
  [1133, "CLOSURE_CALL_REQUIRES_FUNCTION", "a closure is called whose type is not a function"],
  [1134, "INVALID_INIT_MODULE", "`init_module` is public, or has other parameters or results than one signer"],
  [1135, "FRIEND_NOT_FOUND_IN_MODULE_BUNDLE", "a declared friend is not published together with the module"],
  [1136, "INVALID_STRUCT_API_CODE", "a function that the compiler generates for a public struct has other code"],
  [1137, "IMMUTABLE_FUNCTION_CALLS_NON_IMMUTABLE", "an immutable function calls one that may change with an upgrade"],
  [1138, "INVALID_CONST_API_CODE", "a function that the compiler generates for a public constant has other code"],
  // Invariant violation: faults inside the VM, which no transaction should be able to cause.
  [2000, "UNKNOWN_INVARIANT_VIOLATION_ERROR", "the VM found itself in a state that cannot be"],
  [2003, "EMPTY_VALUE_STACK", "the VM's stack was empty where a value was needed"],
  [2005, "PC_OVERFLOW", "the VM ran past the end of a function's code"],
  [2006, "VERIFICATION_ERROR", "bytecode that is on chain no longer passes verification"],
  [2008, "STORAGE_ERROR", "the node's storage failed"],
  [2009, "INTERNAL_TYPE_ERROR", "the VM met a value of another type than verified"],
  [2010, "EVENT_KEY_MISMATCH", "an event's key and its data do not fit"],
  [2011, "UNREACHABLE", "the VM reached code that cannot be reached"],
  [2012, "VM_STARTUP_FAILURE", "the VM could not be started with the chain's configuration"],
  [2015, "UNEXPECTED_ERROR_FROM_KNOWN_MOVE_FUNCTION", "a framework function that the VM relies on failed"],
  [2016, "VERIFIER_INVARIANT_VIOLATION", "the verifier found itself in a state that cannot be"],
  [2017, "UNEXPECTED_VERIFIER_ERROR", "code that is on chain does not verify, such as a dependency that changed"],
  [2018, "UNEXPECTED_DESERIALIZATION_ERROR", "code that is on chain cannot be read"],
  [2019, "FAILED_TO_SERIALIZE_WRITE_SET_CHANGES", "the changes could not be written as bytes"],
  [2020, "FAILED_TO_DESERIALIZE_RESOURCE", "a stored resource cannot be read as its type"],
  [2021, "TYPE_RESOLUTION_FAILURE", "a type that was verified cannot be found any more"],
  [2022, "DUPLICATE_NATIVE_FUNCTION", "a native function is registered twice"],
  [2023, "DELAYED_FIELD_OR_BLOCKSTM_CODE_INVARIANT_ERROR", "parallel execution found itself in a state that cannot be"],
  [2024, "SPECULATIVE_EXECUTION_ABORT_ERROR", "parallel execution has to run the transaction again; never on chain"],
  [2025, "ACCESS_CONTROL_INVARIANT_VIOLATION", "the VM's check of resource access found itself in a state that cannot be"],
  // Deserialization: of bytes that are no bytecode, or no value of their type.
  [3000, "UNKNOWN_BINARY_ERROR", "the bytes could not be read for a reason that has no status"],
  [3001, "MALFORMED", "the bytes are not what the format allows"],
  [3002, "BAD_MAGIC", "the bytes do not begin as Move bytecode does"],
  [3003, "UNKNOWN_VERSION", "the bytecode version is newer than this chain accepts"],
  [3004, "UNKNOWN_TABLE_TYPE", "the bytecode has a table that its version does not know"],
  [3005, "UNKNOWN_SIGNATURE_TYPE", "the bytecode has a signature of an unknown sort"],
  [3006, "UNKNOWN_SERIALIZED_TYPE", "the bytecode has a type of an unknown sort"],
  [3007, "UNKNOWN_OPCODE", "the bytecode has an instruction that its version does not know"],
  [3008, "BAD_HEADER_TABLE", "the bytecode's list of tables is wrong"],
  [3009, "UNEXPECTED_SIGNATURE_TYPE", "the bytecode has a signature of another sort than is needed"],
  [3010, "DUPLICATE_TABLE", "the bytecode has a table twice"],
  [3013, "UNKNOWN_ABILITY", "the bytecode has an ability that does not exist"],
  [3014, "UNKNOWN_NATIVE_STRUCT_FLAG", "the bytecode has an unknown flag where a native struct is declared"],
  [3017, "BAD_U16", "a u16 could not be read"],
  [3018, "BAD_U32", "a u32 could not be read"],
  [3019, "BAD_U64", "a u64 could not be read"],
  [3020, "BAD_U128", "a u128 could not be read"],
  [3021, "BAD_U256", "a u256 could not be read"],
  [3022, "VALUE_SERIALIZATION_ERROR", "a value could not be written as bytes"],
  [3023, "VALUE_DESERIALIZATION_ERROR", "bytes could not be read as a value of their type"],
  [3024, "CODE_DESERIALIZATION_ERROR", "the bytes that are to be published are not bytecode"],
  [3025, "INVALID_FLAG_BITS", "the bytecode's version number has flags that are not allowed"],
  [3026, "UNABLE_TO_CAPTURE_OPTION_TYPE", "a function value captures an option, which is not enabled on this chain"],
  // Execution: of a transaction that failed while it was executed.
  [4000, "UNKNOWN_RUNTIME_STATUS", "the execution failed for a reason that has no status"],
  [4001, "EXECUTED", "the transaction succeeded"],
  [4002, "OUT_OF_GAS", "the transaction needed more gas than its maximum gas amount"],
  [4003, "RESOURCE_DOES_NOT_EXIST", "an account does not have the resource that was borrowed or taken"],
  [4004, "RESOURCE_ALREADY_EXISTS", "an account has the resource already that was to be moved to it"],
  [4008, "MISSING_DATA", "a resource is missing that the code reads"],
  [4009, "DATA_FORMAT_ERROR", "stored data does not have the form that the code expects"],
  [4016, "ABORTED", "a module or a script aborted; the abort code and the module say why"],
  [4017, "ARITHMETIC_ERROR", "an overflow, an underflow, a division by zero, or a cast that does not fit"],
  [4018, "VECTOR_OPERATION_ERROR", "an index outside of a vector, or a pop from an empty one"],
  [4020, "EXECUTION_STACK_OVERFLOW", "the stack of values grew larger than the VM allows"],
  [4021, "CALL_STACK_OVERFLOW", "calls were nested deeper than the VM allows"],
  [4024, "VM_MAX_TYPE_DEPTH_REACHED", "a type is nested deeper than the VM allows"],
  [4025, "VM_MAX_VALUE_DEPTH_REACHED", "a value is nested deeper than the VM allows"],
  [4026, "VM_EXTENSION_ERROR", "a native part of the framework failed, such as a table"],
  [4027, "STORAGE_WRITE_LIMIT_REACHED", "the transaction writes more than the chain allows"],
  [4028, "MEMORY_LIMIT_EXCEEDED", "the transaction uses more memory than the chain allows"],
  [4029, "VM_MAX_TYPE_NODES_REACHED", "a type is larger than the VM allows"],
  [4030, "EXECUTION_LIMIT_REACHED", "the transaction computes more than the chain allows, whatever its gas amount"],
  [4031, "IO_LIMIT_REACHED", "the transaction reads and writes more than the chain allows, whatever its gas amount"],
  [4032, "STORAGE_LIMIT_REACHED", "the transaction stores more than the chain allows, whatever its gas amount"],
  [4033, "TYPE_TAG_LIMIT_EXCEEDED", "a type is larger than the chain allows for a stored name of it"],
  [4034, "ACCESS_DENIED", "a resource was accessed in a way that the function's access specifiers do not permit"],
  [4035, "ACCESS_STACK_LIMIT_EXCEEDED", "access specifiers are nested deeper than the VM allows"],
  [4036, "TOO_MANY_DELAYED_FIELDS", "a resource holds more aggregators than the chain allows"],
  [4037, "RUNTIME_DISPATCH_ERROR", "a dynamic call cannot be made, such as one back into a module that is executing"],
  [4038, "STRUCT_VARIANT_MISMATCH", "an enum's value is of another variant than the code takes apart"],
  [4039, "UNIMPLEMENTED_FUNCTIONALITY", "the VM does not implement what the code uses"],
  [4040, "RUNTIME_CYCLIC_MODULE_DEPENDENCY", "modules depend on each other in a cycle, found while loading them"],
  [4041, "UNABLE_TO_CAPTURE_DELAYED_FIELDS", "a function value captures an aggregator, which is not allowed"],
  [4042, "INVALID_ABORT_MESSAGE", "an abort message is not UTF-8"],
  [4043, "ABORT_MESSAGE_LIMIT_EXCEEDED", "an abort message is longer than the VM allows"],
];

/** When the VM gives a status, and what becomes of the transaction then. */
export type StatusKind = { readonly name: string; readonly consequence: string };

/** A status of the Move VM: the reason why a transaction or a publication failed that is no abort of a module. `UNNAMED` has no code. */
export type VmStatus = { readonly code: number | null; readonly name: string; readonly meaning: string; readonly kind: StatusKind };

/** The kinds by the thousand of the code, which alone decides whether the transaction is kept. */
const KINDS: readonly StatusKind[] = [
  { name: "validation", consequence: "the transaction is not executed and costs nothing" },
  { name: "verification", consequence: "the bytecode is refused; a transaction that publishes it pays for gas" },
  { name: "invariant violation", consequence: "a fault of the VM itself; the transaction is discarded" },
  { name: "deserialization", consequence: "bytes could not be read; the transaction pays for gas" },
  { name: "execution", consequence: "the transaction had no effect, and pays for gas" },
];

/** Statuses that an ordinary call gets, too, where what it passes does not fit the function. */
const OF_CALLS: ReadonlySet<string> = new Set([
  "INVALID_MAIN_FUNCTION_SIGNATURE",
  "TYPE_MISMATCH",
  "CONSTRAINT_NOT_SATISFIED",
  "NUMBER_OF_TYPE_ARGUMENTS_MISMATCH",
  "LINKER_ERROR",
  "FUNCTION_RESOLUTION_FAILURE",
  "NUMBER_OF_ARGUMENTS_MISMATCH",
  "FAILED_TO_DESERIALIZE_ARGUMENT",
  "NUMBER_OF_SIGNER_ARGUMENTS_MISMATCH",
  "EXECUTE_ENTRY_FUNCTION_CALLED_ON_NON_ENTRY_FUNCTION",
]);

const OF_A_CALL =
  "of a call: what it passes does not fit the function, and nothing was executed; of bytecode that is published: it is refused. It pays for gas";

/** `ExecutionStatus::MiscellaneousError` of a committed transaction, which keeps no status. Source: `explain_vm_status`. */
const UNNAMED: VmStatus = {
  code: null,
  name: "MISCELLANEOUS_ERROR",
  meaning:
    "the bytecode cannot be read or verified, the entry function does not exist, or the arguments do not fit; a simulation of the transaction names the status",
  kind: { name: "not named by the node", consequence: "the transaction had no effect, and pays for gas" },
};

/** Every status, in the order of the codes. */
export const vmStatuses: readonly (VmStatus & { readonly code: number })[] = STATUSES.map(([code, name, meaning]) => {
  const kind = KINDS[Math.floor(code / 1000)] as StatusKind;
  return { code, name, meaning, kind: OF_CALLS.has(name) ? { ...kind, consequence: OF_A_CALL } : kind };
});

const byCode = new Map(vmStatuses.map((status) => [status.code, status]));
const byName = new Map([
  ...vmStatuses.map((status) => [status.name, status] as const),
  [UNNAMED.name, UNNAMED] as const,
  // Its name until 2024.
  ["DELAYED_MATERIALIZATION_CODE_INVARIANT_ERROR", byCode.get(2023) as VmStatus] as const,
]);

/** The status with this name or code; undefined if there is none. */
export function findVmStatus(wanted: string | number): VmStatus | undefined {
  return typeof wanted === "number" ? byCode.get(wanted) : byName.get(wanted);
}

/** Sub statuses of VECTOR_OPERATION_ERROR. Source: aptos-core `third_party/move/move-vm/types/src/values/values_impl.rs`. */
const VECTOR_SUB_STATUSES: readonly (string | undefined)[] = [
  undefined,
  "an index outside of the vector",
  "a pop from an empty vector",
  "a vector of another length than it is unpacked to",
  "a vector longer than is allowed",
];

/** What the sub status of a status that is no abort means, if the message has one: it is no code of a module. */
export function subStatusIn(text: string, { name }: VmStatus): string | undefined {
  const number = /sub.?status:? (?:Some\()?(\d{1,20})/i.exec(text)?.[1];
  if (number === undefined || name === "ABORTED") return undefined;
  const meaning = name === "VECTOR_OPERATION_ERROR" ? VECTOR_SUB_STATUSES[Number(number)] : undefined;
  return `sub status ${number}: ${meaning ?? "a number of the VM's own"}; no module has a code for it`;
}

/** Characters of a message that are searched: the report of a failure stands at its beginning. */
export const LENGTH_MAX = 20_000;

/**
 * Sentences that say a status without its name. Sources in aptos-core: `explain_vm_status` in `api/types/src/convert.rs`,
 * `ExpectedMoveErrorDisplay` in `third_party/move/move-compiler-v2/legacy-move-compiler/src/unit_test/mod.rs`.
 */
const SENTENCES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bout of gas\b/i, "OUT_OF_GAS"],
  [/\bbytecode deserialization ?\/ ?verification failed\b|\bmiscellaneous[_ ]error\b|\bMiscellaneousError\(None\)/i, UNNAMED.name],
  [/\bgave an arithmetic error\b/i, "ARITHMETIC_ERROR"],
  [/\bgave a vector operation error\b/i, "VECTOR_OPERATION_ERROR"],
  [/\bMove ?abort\b/i, "ABORTED"],
];

/** The number that nodes put beside the words of an error, and that of a failed execution as JSON. */
const ERROR_CODE = /"(?:vm_error_code|status_code)":\s*"?([0-9]{1,4})\b/;

/** The error of a multisig account's transaction that is no abort. Source: `ExecutionError` in aptos-framework multisig_account.move. */
const MULTISIG_CODE = /(?=.{0,300}error_type\W{1,6}(?:VMError|MoveExecutionFailure)\b).{0,300}?error_code\W{1,6}(\d{1,4})\b/s;

/** The status that a message from a node, a tool or an SDK names; undefined if it names none. `ABORTED` is one only where no other is. */
export function findVmStatusIn(text: string): VmStatus | undefined {
  const cut = text.slice(0, LENGTH_MAX);
  const words = [...cut.matchAll(/\b[A-Z][A-Z0-9_]{5,}\b/g)].flatMap(([word]) => byName.get(word) ?? []);
  const named = words.find(({ name }) => name !== "ABORTED");
  if (named !== undefined) return named;
  const said = SENTENCES.find(([pattern]) => pattern.test(cut));
  if (said !== undefined) return byName.get(said[1]);
  const number = (ERROR_CODE.exec(cut) ?? MULTISIG_CODE.exec(cut))?.[1];
  return number === undefined ? words[0] : byCode.get(Number(number));
}
