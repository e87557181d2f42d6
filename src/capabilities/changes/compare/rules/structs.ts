import { EVENTS, RESOURCE_GROUPS, type RuleData } from "./rule.ts";

export const structRules = {
  "struct-removed": {
    title: "a struct or enum was removed",
    meaning: "Modules that use it no longer link, and stored values cannot be read.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
  },
  "struct-kind-changed": {
    title: "a struct became an enum or native, or the reverse",
    meaning: "Stored values have another layout.",
    severity: { clients: "breaking", readers: "breaking" },
  },
  "option-became-enum": {
    title: "0x1::option::Option became an enum",
    meaning: "Its BCS bytes are unchanged, and nodes keep showing the struct that clients know.",
    severity: { clients: "safe", readers: "safe" },
    upgrade: "refused",
    source: "api/types/src/bytecode.rs (new_move_struct), move-stdlib/sources/option.move",
  },
  "abilities-removed": {
    title: "a struct lost abilities",
    meaning: "Code that copies, drops, stores or publishes it no longer links; without key or store, stored values may be inaccessible.",
    severity: { callers: "breaking", readers: "dangerous" },
  },
  "abilities-added": {
    title: "a struct gained copy, drop or store",
    meaning: "Everything still links, but values can now be copied, dropped or stored: protection that relied on the opposite is gone.",
    severity: { callers: "dangerous" },
  },
  "key-added": {
    title: "a struct gained key",
    meaning: "Its module can now publish it under accounts.",
    severity: { callers: "safe", readers: "safe" },
  },
  "struct-type-parameters-changed": {
    title: "a struct has another number of type parameters",
    meaning: "All types that use it are invalid.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
  },
  "struct-constraints-tightened": {
    title: "a struct requires more abilities of a type argument",
    meaning: "Types with arguments that lack the ability are invalid.",
    severity: { callers: "breaking", clients: "dangerous", readers: "dangerous" },
  },
  "struct-constraints-relaxed": {
    title: "a struct requires fewer abilities of a type argument",
    meaning: "All types that were valid stay valid.",
    severity: { callers: "safe" },
  },
  "phantom-removed": {
    title: "a type parameter of a struct is no longer phantom",
    meaning: "The struct's abilities now depend on those of the argument.",
    severity: { callers: "breaking" },
  },
  "phantom-added": {
    title: "a type parameter of a struct became phantom",
    meaning: "The struct keeps all its abilities.",
    severity: { callers: "safe" },
  },
  "fields-changed": {
    title: "a struct has other fields",
    meaning: "Fields were added, removed, moved or have other types: stored values are read wrongly or not at all.",
    severity: { clients: "breaking", readers: "breaking" },
  },
  "fields-renamed": {
    title: "fields of a struct were renamed",
    meaning: "Bytes are read as before; JSON of nodes and indexers has other keys.",
    severity: { clients: "breaking", readers: "breaking" },
  },
  "variant-changed": {
    title: "a variant of an enum was removed, moved, renamed or has other fields",
    meaning: "A stored value identifies its variant by position: the same bytes mean something else.",
    severity: { clients: "breaking", readers: "breaking" },
  },
  "variant-added": {
    title: "a variant was appended to an enum",
    meaning: "Stored values are read as before; decoders that do not know the variant fail when they meet it.",
    severity: { clients: "dangerous", readers: "dangerous" },
  },
  "event-removed": {
    title: "a struct is no longer an event",
    meaning: "It cannot be emitted, so indexers get no more of it.",
    severity: { readers: "breaking" },
    source: EVENTS,
  },
  "event-added": {
    title: "an existing struct became an event",
    meaning: "It can be emitted now.",
    severity: { readers: "safe" },
    source: EVENTS,
  },
  "event-not-emitted": {
    title: "nothing emits an event any more",
    meaning: "The module has no function that can be called and emits it: what reads the event hears nothing.",
    severity: { readers: "breaking" },
    upgrade: "allowed",
    source: "aptos-move/framework/aptos-framework/sources/event.move",
  },
  "resource-group-changed": {
    title: "a struct became or is no longer a resource group, or its scope was narrowed",
    meaning: "Members are stored inside the group; without the group they are lost.",
    severity: { readers: "breaking" },
    source: RESOURCE_GROUPS,
  },
  "resource-group-widened": {
    title: "a resource group's scope was widened",
    meaning: "Existing members stay valid.",
    severity: { readers: "safe" },
    source: `${RESOURCE_GROUPS} (is_less_strict)`,
  },
  "resource-group-member-changed": {
    title: "a resource joined, left or changed its resource group",
    meaning: "It is looked up in another place than where it was stored.",
    severity: { readers: "breaking" },
    source: RESOURCE_GROUPS,
  },
  "struct-added": {
    title: "a struct or enum was added",
    meaning: "Nothing can depend on it yet.",
    severity: { callers: "safe", readers: "safe" },
  },
} as const satisfies Record<string, RuleData>;
