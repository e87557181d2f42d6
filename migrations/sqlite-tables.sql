CREATE TABLE "_account_probes" (
	`address_id` integer NOT NULL,
	`ledger_version` integer NOT NULL,
	`sequence_number` text,
	`authentication_key` blob,
	`source` text,
	`checksum` integer,
	PRIMARY KEY(`address_id`, `ledger_version`),
	FOREIGN KEY (`address_id`) REFERENCES "_addresses"(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE "_account_spans" (
	`address_id` integer NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	`sequence_number` text NOT NULL,
	`authentication_key` blob NOT NULL,
	`resource` blob,
	PRIMARY KEY(`address_id`, `from_version`),
	FOREIGN KEY (`address_id`) REFERENCES "_addresses"(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE "_addresses" (
	`id` integer PRIMARY KEY NOT NULL,
	`address` text NOT NULL
) STRICT;
CREATE UNIQUE INDEX `addresses_by_address` ON "_addresses" (`address`);
CREATE TABLE "_archive" (
	`id` integer PRIMARY KEY NOT NULL,
	`chain_id` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`views_digest` text,
	`checksum` integer
) STRICT;
CREATE TABLE "_backfill_points" (
	`ledger_version` integer PRIMARY KEY NOT NULL,
	`wanted_time` integer,
	`time_error_ms` integer,
	`state` text NOT NULL,
	`reason` text,
	`asked_at` integer NOT NULL,
	`decided_at` integer NOT NULL,
	`accounts_read` integer NOT NULL,
	`accounts_inferred` integer NOT NULL,
	`inferred_within` integer,
	`checksum` integer
) STRICT;
CREATE TABLE "_builds" (
	`node` text NOT NULL,
	`git_hash` text NOT NULL,
	`build` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`checksum` integer,
	PRIMARY KEY(`node`, `git_hash`, `build`)
) STRICT, WITHOUT ROWID;
CREATE TABLE "_bytecode_blobs" (
	`id` integer PRIMARY KEY NOT NULL,
	`code` blob NOT NULL, `base_id` integer REFERENCES _bytecodes(id),
	FOREIGN KEY (`id`) REFERENCES "_bytecodes"(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE "_bytecodes" (
	`id` integer PRIMARY KEY NOT NULL,
	`sha256` blob NOT NULL,
	`size` integer NOT NULL,
	`bytecode_version` integer,
	`derived_by` text,
	`node_abi` text,
	`error_code` text,
	`error_offset` integer,
	`error_message` text
, `abi_id` integer REFERENCES `_abis`(`id`)) STRICT;
CREATE UNIQUE INDEX `bytecodes_by_sha256` ON "_bytecodes" (`sha256`);
CREATE TABLE "_deliveries" (
	`judgement_id` integer NOT NULL,
	`channel` text NOT NULL,
	`delivery_id` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_at` integer NOT NULL,
	`told_at` integer,
	`fault` text,
	PRIMARY KEY(`judgement_id`, `channel`),
	FOREIGN KEY (`judgement_id`) REFERENCES "_judgements"(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE INDEX `deliveries_by_channel_state` ON "_deliveries" (`channel`,`state`);
CREATE TABLE "_all_findings" (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer NOT NULL,
	`stored` text NOT NULL,
	`found` text NOT NULL,
	`origin` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`checksum` integer
) STRICT;
CREATE TABLE "_head_samples" (
	`id` integer PRIMARY KEY NOT NULL,
	`node` text NOT NULL,
	`sampled_at` integer NOT NULL,
	`head_version` integer NOT NULL,
	`oldest_version` integer NOT NULL,
	`timestamp_usec` text NOT NULL,
	`checksum` integer
) STRICT;
CREATE INDEX `head_samples_by_node_sampled_at` ON "_head_samples" (`node`,`sampled_at`);
CREATE TABLE "_listing_modules" (
	`listing_id` integer NOT NULL,
	`name` text NOT NULL,
	`bytecode_id` integer NOT NULL,
	PRIMARY KEY(`listing_id`, `name`),
	FOREIGN KEY (`listing_id`) REFERENCES "_listings"(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bytecode_id`) REFERENCES "_bytecodes"(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE INDEX `listing_modules_by_bytecode_id` ON "_listing_modules" (`bytecode_id`);
CREATE TABLE "_listings" (
	`id` integer PRIMARY KEY NOT NULL,
	`address_id` integer NOT NULL,
	`digest` blob NOT NULL,
	`modules` integer NOT NULL,
	FOREIGN KEY (`address_id`) REFERENCES "_addresses"(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE UNIQUE INDEX `listings_by_address_id_digest` ON "_listings" (`address_id`,`digest`);
CREATE TABLE "_all_gaps" (
	`ledger_version` integer NOT NULL,
	`address_id` integer NOT NULL,
	`reason` text NOT NULL,
	`error_code` text,
	`http_status` integer,
	`message` text NOT NULL,
	`attempts` integer NOT NULL,
	`is_final` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`checksum` integer,
	PRIMARY KEY(`ledger_version`, `address_id`),
	FOREIGN KEY (`ledger_version`) REFERENCES "_all_snapshots"(`ledger_version`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`address_id`) REFERENCES "_addresses"(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE "_module_probes" (
	`address_id` integer NOT NULL,
	`name` text NOT NULL,
	`ledger_version` integer NOT NULL,
	`bytecode_id` integer,
	`source` text,
	`checksum` integer,
	PRIMARY KEY(`address_id`, `name`, `ledger_version`),
	FOREIGN KEY (`address_id`) REFERENCES "_addresses"(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bytecode_id`) REFERENCES "_bytecodes"(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE INDEX `module_probes_by_bytecode_id` ON "_module_probes" (`bytecode_id`);
CREATE TABLE "_modules" (
	`id` integer PRIMARY KEY NOT NULL,
	`address_id` integer NOT NULL,
	`name` text NOT NULL,
	FOREIGN KEY (`address_id`) REFERENCES "_addresses"(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE UNIQUE INDEX `modules_by_address_id_name` ON "_modules" (`address_id`,`name`);
CREATE TABLE "_all_snapshots" (
	`ledger_version` integer PRIMARY KEY NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`sealed_at` integer,
	`head_version` integer NOT NULL,
	`oldest_version` integer NOT NULL,
	`head_timestamp_usec` text NOT NULL,
	`planned` integer NOT NULL,
	`accounts` integer,
	`modules` integer,
	`changed_modules` integer,
	`gaps` integer,
	`records` integer,
	`digest` blob,
	`head_epoch` text,
	`head_block_height` text,
	`records_digest` blob,
	`passed_over` integer,
	`checksum` integer
, `sealed_by` text) STRICT;
CREATE TABLE "_runs" (
	`id` integer PRIMARY KEY NOT NULL,
	`command` text NOT NULL,
	`app_version` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`exit` text,
	`ledger_version` integer,
	`requests` integer,
	`retries` integer,
	`bytes_received` integer,
	`accounts` integer,
	`modules` integer,
	`new_bytecodes` integer,
	`gaps` integer
, `checksum` integer) STRICT;
CREATE TABLE "_source_snapshots" (
	`ledger_version` integer NOT NULL,
	`source_id` integer NOT NULL,
	`accounts` integer NOT NULL,
	`new_accounts` integer NOT NULL,
	`digest` blob NOT NULL,
	`checksum` integer,
	PRIMARY KEY(`ledger_version`, `source_id`),
	FOREIGN KEY (`ledger_version`) REFERENCES "_all_snapshots"(`ledger_version`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`source_id`) REFERENCES "_sources"(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE "_sources" (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`digest` text NOT NULL,
	`imported_at` integer NOT NULL,
	`checksum` integer
) STRICT;
CREATE UNIQUE INDEX `sources_by_kind_digest` ON "_sources" (`kind`,`digest`);
CREATE TABLE "_targets" (
	`address_id` integer PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`via` text,
	`depth` integer NOT NULL,
	`added_at` integer NOT NULL,
	`added_by` text,
	`label` text,
	`removed_at` integer,
	`checksum` integer,
	FOREIGN KEY (`address_id`) REFERENCES "_addresses"(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE "_visits" (
	`ledger_version` integer NOT NULL,
	`position` integer NOT NULL,
	`address_id` integer NOT NULL,
	`state` text NOT NULL,
	`reads_record` integer NOT NULL,
	`same_as_version` integer,
	`listing_id` integer,
	`sequence_number` text,
	`authentication_key` blob,
	`resource` blob, `claims` integer, `claimed_until` integer,
	PRIMARY KEY(`ledger_version`, `position`),
	FOREIGN KEY (`ledger_version`) REFERENCES "_all_snapshots"(`ledger_version`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`address_id`) REFERENCES "_addresses"(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`listing_id`) REFERENCES "_listings"(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX `visits_by_ledger_version_address_id` ON "_visits" (`ledger_version`,`address_id`);
CREATE INDEX `bytecodes_by_abi_id` ON `_bytecodes` (`abi_id`);
CREATE TABLE `_types` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL
) STRICT;
CREATE UNIQUE INDEX `types_by_text` ON `_types` (`text`);
CREATE TABLE `_type_structs` (
	`type_id` integer NOT NULL,
	`module_id` integer NOT NULL,
	`struct` text NOT NULL,
	PRIMARY KEY(`type_id`, `module_id`, `struct`),
	FOREIGN KEY (`type_id`) REFERENCES `_types`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE INDEX `modules_by_name_address_id` ON `_modules` (`name`,`address_id`);
CREATE TABLE `_function_params` (
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	`type_id` integer NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `_types`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_function_returns` (
	`position` integer NOT NULL,
	`function_id` integer NOT NULL,
	`type_id` integer NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `_types`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_function_acquires` (
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	`struct` text NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_function_attributes` (
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	`kind` integer NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_called_functions` (
	`id` integer PRIMARY KEY NOT NULL,
	`module_id` integer NOT NULL,
	`name` text NOT NULL,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE UNIQUE INDEX `called_functions_by_module_id_name` ON `_called_functions` (`module_id`,`name`);
CREATE TABLE `_function_calls` (
	`function_id` integer NOT NULL,
	`called_id` integer NOT NULL,
	PRIMARY KEY(`function_id`, `called_id`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`called_id`) REFERENCES `_called_functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_structs` (
	`id` integer PRIMARY KEY NOT NULL,
	`module_id` integer NOT NULL,
	`name` text NOT NULL,
	`is_native` integer NOT NULL,
	`is_event` integer NOT NULL,
	`is_enum` integer NOT NULL,
	`has_copy` integer NOT NULL,
	`has_drop` integer NOT NULL,
	`has_store` integer NOT NULL,
	`has_key` integer NOT NULL,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `_struct_type_params` (
	`struct_id` integer NOT NULL,
	`position` integer NOT NULL,
	`is_phantom` integer NOT NULL,
	`has_copy` integer NOT NULL,
	`has_drop` integer NOT NULL,
	`has_store` integer NOT NULL,
	`has_key` integer NOT NULL,
	PRIMARY KEY(`struct_id`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_struct_variants` (
	`struct_id` integer NOT NULL,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`struct_id`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_struct_attributes` (
	`struct_id` integer NOT NULL,
	`position` integer NOT NULL,
	`kind` integer NOT NULL,
	PRIMARY KEY(`struct_id`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_error_codes` (
	`id` integer PRIMARY KEY NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL
) STRICT;
CREATE INDEX `error_codes_by_name` ON `_error_codes` (`name`);
CREATE TABLE `_error_maps` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` blob NOT NULL
) STRICT;
CREATE UNIQUE INDEX `error_maps_by_digest` ON `_error_maps` (`digest`);
CREATE TABLE `_error_map_codes` (
	`error_map_id` integer NOT NULL,
	`position` integer NOT NULL,
	`error_code_id` integer NOT NULL,
	PRIMARY KEY(`error_map_id`, `position`),
	FOREIGN KEY (`error_map_id`) REFERENCES `_error_maps`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`error_code_id`) REFERENCES `_error_codes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_abi_functions` (
	`abi_id` integer NOT NULL,
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `function_id`),
	FOREIGN KEY (`abi_id`) REFERENCES `_abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_abi_structs` (
	`abi_id` integer NOT NULL,
	`struct_id` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `struct_id`),
	FOREIGN KEY (`abi_id`) REFERENCES `_abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_abi_friends` (
	`abi_id` integer NOT NULL,
	`position` integer NOT NULL,
	`module_id` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `position`),
	FOREIGN KEY (`abi_id`) REFERENCES `_abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_abi_dependencies` (
	`abi_id` integer NOT NULL,
	`module_id` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `module_id`),
	FOREIGN KEY (`abi_id`) REFERENCES `_abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_ledger_times` (
	`ledger_version` integer PRIMARY KEY NOT NULL,
	`ledger_time` integer NOT NULL,
	`error_ms` integer NOT NULL
, `checksum` integer) STRICT;
CREATE TABLE `documentation` (
	`relation` text NOT NULL,
	`kind` text NOT NULL,
	`position` integer NOT NULL,
	`column_name` text NOT NULL,
	`type` text NOT NULL,
	`meaning` text NOT NULL,
	PRIMARY KEY(`relation`, `position`)
) STRICT;
CREATE INDEX `bytecodes_by_id` ON `_bytecodes` (`id`) WHERE derived_by IS NULL;
CREATE TABLE `_alert_places` (
	`channel` text PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`ended_at` integer,
	`fault` text
) STRICT, WITHOUT ROWID;
CREATE TABLE "_judged_upgrades" (
	`from_id` integer NOT NULL,
	`to_id` integer NOT NULL,
	`rules` integer NOT NULL,
	`severity` text NOT NULL,
	`callers` text,
	`clients` text,
	`readers` text,
	`breaking` integer NOT NULL,
	`dangerous` integer NOT NULL,
	`behaviour` integer NOT NULL,
	`safe` integer NOT NULL,
	`silent` integer NOT NULL,
	`refused` integer NOT NULL,
	`rule` text,
	`item_kind` text,
	`item` text,
	`reason` text,
	PRIMARY KEY(`from_id`, `to_id`),
	FOREIGN KEY (`from_id`) REFERENCES `_bytecodes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_id`) REFERENCES `_bytecodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `_judgement_findings` (
	`judgement_id` integer NOT NULL,
	`position` integer NOT NULL,
	`rule` text NOT NULL,
	`item_kind` text NOT NULL,
	`item` text,
	`severity` text NOT NULL,
	`callers` text,
	`clients` text,
	`readers` text,
	`upgrade` text NOT NULL,
	`before` text,
	`after` text,
	`own_use` text,
	PRIMARY KEY(`judgement_id`, `position`),
	FOREIGN KEY (`judgement_id`) REFERENCES `_judgements`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_judgement_renames` (
	`judgement_id` integer NOT NULL,
	`position` integer NOT NULL,
	`item_kind` text NOT NULL,
	`from_name` text NOT NULL,
	`to_name` text NOT NULL,
	PRIMARY KEY(`judgement_id`, `position`),
	FOREIGN KEY (`judgement_id`) REFERENCES `_judgements`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE "_judgements" (
	`id` integer PRIMARY KEY NOT NULL,
	`watch_id` integer NOT NULL,
	`address_id` integer NOT NULL,
	`name` text NOT NULL,
	`from_sha256` text,
	`to_sha256` text,
	`after_version` integer NOT NULL,
	`at_or_before_version` integer NOT NULL,
	`shown_by` integer NOT NULL,
	`severity` text NOT NULL,
	`is_alert` integer NOT NULL,
	`finding_count` integer NOT NULL,
	`judged_at` integer NOT NULL,
	`checksum` integer,
	`reason` text,
	FOREIGN KEY (`watch_id`) REFERENCES `_watches`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`address_id`) REFERENCES `_addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE INDEX `judgements_by_address_id_name` ON `_judgements` (`address_id`,`name`);
CREATE TABLE `_watch_uses` (
	`watch_id` integer NOT NULL,
	`kind` text NOT NULL,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`watch_id`, `kind`, `position`),
	FOREIGN KEY (`watch_id`) REFERENCES `_watches`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE "_watches" (
	`id` integer PRIMARY KEY NOT NULL,
	`subject` text NOT NULL,
	`audience` text,
	`level` text NOT NULL,
	`is_mine` integer NOT NULL,
	`since_version` integer,
	`added_at` integer NOT NULL,
	`removed_at` integer,
	`checksum` integer
) STRICT;
CREATE TABLE "_function_attribute_args" (
	`function_id` integer NOT NULL,
	`attribute` integer NOT NULL,
	`position` integer NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`function_id`, `attribute`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`function_id`,`attribute`) REFERENCES `_function_attributes`(`function_id`,`position`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE "_struct_fields" (
	`struct_id` integer NOT NULL,
	`place` integer NOT NULL,
	`variant` integer,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	`type_id` integer NOT NULL,
	PRIMARY KEY(`struct_id`, `place`),
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `_types`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`struct_id`,`variant`) REFERENCES `_struct_variants`(`struct_id`,`position`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE "_struct_attribute_args" (
	`struct_id` integer NOT NULL,
	`attribute` integer NOT NULL,
	`position` integer NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`struct_id`, `attribute`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`struct_id`,`attribute`) REFERENCES `_struct_attributes`(`struct_id`,`position`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE "_judged_renames" (
	`from_id` integer NOT NULL,
	`to_id` integer NOT NULL,
	`item_kind` text NOT NULL,
	`from_name` text NOT NULL,
	`to_name` text NOT NULL,
	PRIMARY KEY(`from_id`, `to_id`, `item_kind`, `from_name`),
	FOREIGN KEY (`from_id`) REFERENCES `_bytecodes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_id`) REFERENCES `_bytecodes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`from_id`,`to_id`) REFERENCES `_judged_upgrades`(`from_id`,`to_id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE "_judgement_finding_calls" (
	`judgement_id` integer NOT NULL,
	`finding` integer NOT NULL,
	`position` integer NOT NULL,
	`function` text NOT NULL,
	PRIMARY KEY(`judgement_id`, `finding`, `position`),
	FOREIGN KEY (`judgement_id`) REFERENCES `_judgements`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`judgement_id`,`finding`) REFERENCES `_judgement_findings`(`judgement_id`,`position`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE INDEX `all_gaps_by_address_id` ON `_all_gaps` (`address_id`);
CREATE UNIQUE INDEX `all_findings_by_kind_subject_from_version_stored_found` ON `_all_findings` (`kind`,`subject`,`from_version`,`stored`,`found`);
CREATE TABLE "_listing_spans" (
	`address_id` integer NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	`listing_id` integer,
	PRIMARY KEY(`address_id`, `from_version`),
	FOREIGN KEY (`address_id`) REFERENCES `_addresses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`listing_id`) REFERENCES `_listings`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE INDEX `listing_spans_by_listing_id` ON `_listing_spans` (`listing_id`) WHERE listing_id IS NOT NULL;
CREATE INDEX `listing_spans_by_address_id` ON `_listing_spans` (`address_id`) WHERE to_version IS NULL AND listing_id IS NOT NULL;
CREATE TABLE `_coverage` (
	`address_id` integer NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	`reads_record` integer NOT NULL,
	PRIMARY KEY(`address_id`, `from_version`),
	FOREIGN KEY (`address_id`) REFERENCES `_addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_search_words` (
	`word` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`word`, `name`)
) STRICT, WITHOUT ROWID;
CREATE TABLE `_judged_findings` (
	`from_id` integer NOT NULL,
	`to_id` integer NOT NULL,
	`position` integer NOT NULL,
	`rule` text NOT NULL,
	`item_kind` text NOT NULL,
	`item` text,
	`severity` text NOT NULL,
	`callers` text,
	`clients` text,
	`readers` text,
	`upgrade` text NOT NULL,
	`before` text,
	`after` text,
	PRIMARY KEY(`from_id`, `to_id`, `position`),
	FOREIGN KEY (`from_id`) REFERENCES `_bytecodes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_id`) REFERENCES `_bytecodes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`from_id`,`to_id`) REFERENCES `_judged_upgrades`(`from_id`,`to_id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `_signatures` (
	`id` integer PRIMARY KEY NOT NULL,
	`declaration` text NOT NULL
) STRICT;
CREATE UNIQUE INDEX `signatures_by_declaration` ON `_signatures` (`declaration`);
CREATE TABLE `_signature_type_params` (
	`signature_id` integer NOT NULL,
	`position` integer NOT NULL,
	`has_copy` integer NOT NULL,
	`has_drop` integer NOT NULL,
	`has_store` integer NOT NULL,
	`has_key` integer NOT NULL,
	PRIMARY KEY(`signature_id`, `position`),
	FOREIGN KEY (`signature_id`) REFERENCES `_signatures`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE "_functions" (
	`id` integer PRIMARY KEY NOT NULL,
	`module_id` integer NOT NULL,
	`name` text NOT NULL,
	`visibility` text NOT NULL,
	`is_entry` integer NOT NULL,
	`is_view` integer NOT NULL,
	`is_native` integer NOT NULL,
	`signature_id` integer NOT NULL,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`signature_id`) REFERENCES `_signatures`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE "_abis" (
	`id` integer PRIMARY KEY NOT NULL,
	`module_id` integer NOT NULL,
	`error_map_id` integer,
	`has_calls` integer NOT NULL,
	`face` integer NOT NULL,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`error_map_id`) REFERENCES `_error_maps`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE INDEX `abis_by_module_id` ON `_abis` (`module_id`);
CREATE TABLE `_type_counts` (
	`type_id` integer PRIMARY KEY NOT NULL,
	`params` integer NOT NULL,
	`returns` integer NOT NULL,
	`fields` integer NOT NULL,
	FOREIGN KEY (`type_id`) REFERENCES `_types`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
