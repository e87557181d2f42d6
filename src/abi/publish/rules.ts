export type PublishRule = {
  /** What a module does that breaks it. */
  readonly title: string;
  readonly meaning: string;
  /** Whether the chain refuses the module, or only the compiler does: the chain takes what a compiler was told to let pass. */
  readonly by: "chain" | "compiler";
  /** Where the rule was read: a file of aptos-core, as of 2026. */
  readonly source: string;
};

const VERIFIER = "third_party/move/move-bytecode-verifier/src";
const METADATA = "types/src/vm/module_metadata.rs";
const GROUPS = "aptos-move/aptos-vm/src/verifier/resource_groups.rs";
const COMPILER = "aptos-move/framework/src/extended_checks.rs";
const SIGNATURES = `${VERIFIER}/signature_v2.rs`;
const FRIENDS = `${VERIFIER}/friends.rs`;
const CYCLES = `${VERIFIER}/cyclic_dependencies.rs`;
const CODE = "aptos-move/framework/aptos-framework/sources/code.move";
const VM = "aptos-move/aptos-vm/src/aptos_vm.rs (validate_publish_request)";

/** A rule as it is written down: the chain's, where it does not say. */
type PublishRuleData = Omit<PublishRule, "by"> & { readonly by?: "compiler" };

const byArea = {
  friends: {
    "friend-missing": {
      title: "a friend is neither in the build nor on the ledger",
      meaning: "Friends have to exist when a module is published. Publish them together, or before.",
      source: "aptos-move/aptos-vm/src/move_vm_ext/session/user_transaction_sessions/user.rs, move-vm/runtime/src/storage/publishing.rs",
    },
    "friend-of-another-account": {
      title: "a friend belongs to another account",
      meaning: "A module can only declare friends from its own account.",
      source: FRIENDS,
    },
    "friend-of-itself": {
      title: "a module declares itself as a friend",
      meaning: "The friend list of a module may not contain the module itself.",
      source: FRIENDS,
    },
  },
  cycles: {
    "cyclic-dependency": {
      title: "modules depend on each other in a circle",
      meaning: "A module may not reach itself through what it uses.",
      source: CYCLES,
    },
    "friend-circle": {
      title: "a module reaches itself through its friends, or depends on one of them",
      meaning: "Nodes of 2024 refuse it too; newer ones do not look at the friends of friends.",
      by: "compiler",
      source: `${CYCLES}, legacy-move-compiler/src/expansion/dependency_ordering.rs`,
    },
  },
  "structs and their fields": {
    "field-lacks-ability": {
      title: "a field's type lacks an ability that its struct needs",
      meaning: "A struct with copy, drop or store has only such fields; one with key has fields with store.",
      source: `${SIGNATURES}, ability_field_requirements.rs`,
    },
    "type-argument-lacks-ability": {
      title: "a type argument lacks an ability that the type requires",
      meaning: "The field, parameter or result has a type that cannot exist.",
      source: SIGNATURES,
    },
    "reference-inside-type": {
      title: "a reference stands inside a type or a field",
      meaning: "A reference can be a parameter or a result, never part of a value.",
      source: SIGNATURES,
    },
    "phantom-parameter-used": {
      title: "a field uses a phantom type parameter",
      meaning: "A phantom parameter may only be the argument of another phantom parameter.",
      source: SIGNATURES,
    },
    "recursive-struct": {
      title: "a struct contains itself",
      meaning: "Its values would never end. Vectors and function types in between do not change that.",
      source: `${VERIFIER}/struct_defs.rs`,
    },
  },
  "native functions": {
    "native-function": {
      title: "a native function outside the framework, or an entry function that is native",
      meaning: "Only accounts 0x0 to 0xf can publish native functions.",
      source: "aptos-move/aptos-vm/src/verifier/native_validation.rs",
    },
  },
  init_module: {
    "init-module": {
      title: "init_module is not what the chain can call",
      meaning: "It is private, takes one signer or &signer, has no type parameters and no results. Called once, when the module is new.",
      source: "aptos-move/aptos-vm/src/verifier/module_init.rs",
    },
  },
  "entry and view functions": {
    "view-without-result": {
      title: "a view function has no result",
      meaning: "The attribute also has to be on a function that exists.",
      source: `${METADATA} (is_valid_view_function)`,
    },
    "entry-parameter": {
      title: "an entry or view function has a parameter that no transaction can pass",
      meaning:
        "Transactions pass signers, numbers, bool, address, vectors, strings, objects, options and fixed points. Public structs are new in 2026.",
      by: "compiler",
      source: `${COMPILER} (check_transaction_args)`,
    },
    "entry-result": {
      title: "an entry function has a result",
      meaning: "Nobody receives it.",
      by: "compiler",
      source: `${COMPILER} (check_entry_functions)`,
    },
    "view-signer": {
      title: "a view function takes a signer",
      meaning: "No client can pass one.",
      by: "compiler",
      source: `${COMPILER} (check_and_record_view_functions)`,
    },
  },
  randomness: {
    "randomness-on-public": {
      title: "#[randomness] is on a function that is public or no entry function",
      meaning: "Another module could call it and abort when it does not like the result.",
      source: `${METADATA} (is_valid_unbiasable_function)`,
    },
  },
  events: {
    "event-emitted": {
      title: "what is emitted is not an event of the module",
      meaning: "0x1::event::emit takes structs of the same module that have #[event].",
      source: "aptos-move/aptos-vm/src/verifier/event_validation.rs (validate_emit_calls)",
    },
  },
  "resource groups": {
    "resource-group": {
      title: "a resource group is not an empty struct without abilities",
      meaning: "It has no type parameters, no abilities, no fields of its own, and a scope that exists.",
      source: `${METADATA} (is_valid_resource_group)`,
    },
    "resource-group-member": {
      title: "a member of a resource group has no key",
      meaning: "Members are resources.",
      source: `${METADATA} (is_valid_resource_group_member)`,
    },
    "resource-group-unknown": {
      title: "a struct names a resource group that is none",
      meaning: "The group has to be a struct with #[resource_group], in the build or on the ledger.",
      source: GROUPS,
    },
    "resource-group-scope": {
      title: "a resource group's scope does not reach its member",
      meaning: "Scope address reaches modules of the group's account, scope module_ the group's module alone.",
      source: `${GROUPS} (are_equal_module_ids)`,
    },
  },
  metadata: {
    "attribute-repeated": {
      title: "a struct has an attribute twice",
      meaning: "A struct declares once that it is an event, a resource group or a member of a group.",
      source: `${GROUPS}, event_validation.rs`,
    },
    "attribute-unknown": {
      title: "the metadata has an attribute in the wrong place",
      meaning: "Functions are views or use randomness; structs are events, groups or members of groups.",
      source: `${METADATA} (verify_module_metadata_for_module_publish)`,
    },
    "metadata-malformed": {
      title: "the metadata cannot be read, or has an entry that is not known",
      meaning: "Each entry is there once, under a key that the chain knows.",
      source: `${METADATA} (check_metadata_format)`,
    },
    "unstable-bytecode": {
      title: "the compiler marked the bytecode as unstable",
      meaning: "Mainnet (chain 1) refuses what was built with unstable features of the language.",
      source: "aptos-move/aptos-vm/src/aptos_vm.rs (reject_unstable_bytecode)",
    },
  },
  "bytecode version": {
    "bytecode-too-new": {
      title: "the bytecode is newer than the chain's nodes read",
      meaning: "Build with an older --bytecode-version: nodes of 2024 read up to 7, those of 2025 up to 8.",
      source: "third_party/move/move-binary-format/src/deserializer.rs, types/src/on_chain_config/aptos_features.rs",
    },
  },
  "package metadata": {
    "package-modules": {
      title: "the package's metadata names other modules than it holds",
      meaning: "package-metadata.bcs lists every module that is published, and no other.",
      source: VM,
    },
    "package-policy": {
      title: "the package's upgrade policy is arbitrary",
      meaning: "Chains allow compatible and immutable.",
      source: `${CODE} (publish_package)`,
    },
    "package-dependency": {
      title: "a module uses an account that the package's metadata does not name",
      meaning: "Modules may use those of their own account and of the packages that package-metadata.bcs depends on.",
      source: `${VM}, ${CODE} (check_dependencies)`,
    },
    "package-dependency-missing": {
      title: "the package depends on a package whose account holds no modules",
      meaning: "Publish every package that package-metadata.bcs depends on first.",
      source: `${CODE} (check_dependencies)`,
    },
  },
} as const satisfies Record<string, Record<string, PublishRuleData>>;

/** What is looked at, in the order of the documentation. */
export type PublishArea = keyof typeof byArea;
export const publishAreas = Object.keys(byArea) as readonly PublishArea[];

export type PublishRuleId = { [Area in PublishArea]: keyof (typeof byArea)[Area] }[PublishArea];

export const publishRules = Object.fromEntries(
  Object.values(byArea).flatMap((rules) => Object.entries<PublishRuleData>(rules).map(([id, rule]) => [id, { by: "chain", ...rule }])),
) as Readonly<Record<PublishRuleId, PublishRule>>;

export function publishRulesMarkdown(): string {
  const rows = Object.entries(publishRules).map(
    ([id, { title, meaning, by, source }]) => `| \`${id}\` | ${title}. ${meaning} | the ${by} | ${source} |`,
  );
  return ["| rule | what breaks it | refused by | source |", "|---|---|---|---|", ...rows].join("\n");
}
