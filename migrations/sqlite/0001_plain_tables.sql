DROP TABLE IF EXISTS `search_index`;
--> statement-breakpoint
DROP VIEW IF EXISTS `documentation`;
--> statement-breakpoint
DROP TABLE `call_parts`;
--> statement-breakpoint
DROP TABLE `function_calls`;
--> statement-breakpoint
DROP TABLE `struct_uses`;
--> statement-breakpoint
DROP TABLE `abi_dependencies`;
--> statement-breakpoint
DROP TABLE `abi_friends`;
--> statement-breakpoint
DROP TABLE `structs`;
--> statement-breakpoint
DROP TABLE `functions`;
--> statement-breakpoint
DROP TABLE `abi_parts`;
--> statement-breakpoint
DROP TABLE `abis`;
--> statement-breakpoint
ALTER TABLE `addresses` RENAME TO `_addresses`;
--> statement-breakpoint
ALTER TABLE `modules` RENAME TO `_modules`;
--> statement-breakpoint
ALTER TABLE `bytecodes` RENAME TO `_bytecodes`;
--> statement-breakpoint
ALTER TABLE `bytecode_blobs` RENAME TO `_bytecode_blobs`;
--> statement-breakpoint
ALTER TABLE `coverage` RENAME TO `_coverage`;
--> statement-breakpoint
ALTER TABLE `record_coverage` RENAME TO `_record_coverage`;
--> statement-breakpoint
ALTER TABLE `account_spans` RENAME TO `_account_spans`;
--> statement-breakpoint
ALTER TABLE `listings` RENAME TO `_listings`;
--> statement-breakpoint
ALTER TABLE `listing_modules` RENAME TO `_listing_modules`;
--> statement-breakpoint
ALTER TABLE `listing_spans` RENAME TO `_listing_spans`;
--> statement-breakpoint
ALTER TABLE `archive` RENAME TO `_archive`;
--> statement-breakpoint
ALTER TABLE `pins` RENAME TO `_pins`;
--> statement-breakpoint
ALTER TABLE `visits` RENAME TO `_visits`;
--> statement-breakpoint
ALTER TABLE `misses` RENAME TO `_misses`;
--> statement-breakpoint
ALTER TABLE `targets` RENAME TO `_targets`;
--> statement-breakpoint
ALTER TABLE `runs` RENAME TO `_runs`;
--> statement-breakpoint
ALTER TABLE `leases` RENAME TO `_leases`;
--> statement-breakpoint
ALTER TABLE `head_samples` RENAME TO `_head_samples`;
--> statement-breakpoint
ALTER TABLE `batches` RENAME TO `_batches`;
--> statement-breakpoint
ALTER TABLE `traces` RENAME TO `_traces`;
--> statement-breakpoint
ALTER TABLE `trace_groups` RENAME TO `_trace_groups`;
--> statement-breakpoint
ALTER TABLE `workers` RENAME TO `_workers`;
--> statement-breakpoint
ALTER TABLE `node_pauses` RENAME TO `_node_pauses`;
--> statement-breakpoint
ALTER TABLE `rate_grants` RENAME TO `_rate_grants`;
--> statement-breakpoint
ALTER TABLE `module_probes` RENAME TO `_module_probes`;
--> statement-breakpoint
ALTER TABLE `account_probes` RENAME TO `_account_probes`;
--> statement-breakpoint
ALTER TABLE `backfill_points` RENAME TO `_backfill_points`;
--> statement-breakpoint
ALTER TABLE `sources` RENAME TO `_sources`;
--> statement-breakpoint
ALTER TABLE `source_snapshots` RENAME TO `_source_snapshots`;
--> statement-breakpoint
ALTER TABLE `disagreements` RENAME TO `_disagreements`;
--> statement-breakpoint
ALTER TABLE `builds` RENAME TO `_builds`;
--> statement-breakpoint
ALTER TABLE `watches` RENAME TO `_watches`;
--> statement-breakpoint
ALTER TABLE `judgements` RENAME TO `_judgements`;
--> statement-breakpoint
ALTER TABLE `deliveries` RENAME TO `_deliveries`;
--> statement-breakpoint
DROP INDEX `bytecodes_by_abi_id`;
--> statement-breakpoint
ALTER TABLE `_bytecodes` DROP COLUMN `abi_id`;
--> statement-breakpoint
ALTER TABLE `_bytecodes` ADD `abi_id` integer REFERENCES `_abis`(`id`);
--> statement-breakpoint
ALTER TABLE `_bytecodes` DROP COLUMN `calls_id`;
--> statement-breakpoint
CREATE INDEX `bytecodes_by_abi_id` ON `_bytecodes` (`abi_id`);
--> statement-breakpoint
CREATE TABLE `_types` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `types_by_text` ON `_types` (`text`);
--> statement-breakpoint
CREATE TABLE `_type_structs` (
	`type_id` integer NOT NULL,
	`module_id` integer NOT NULL,
	`struct` text NOT NULL,
	PRIMARY KEY(`type_id`, `module_id`, `struct`),
	FOREIGN KEY (`type_id`) REFERENCES `_types`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `type_structs_by_struct_module_id` ON `_type_structs` (`struct`,`module_id`);
--> statement-breakpoint
CREATE TABLE `_functions` (
	`id` integer PRIMARY KEY NOT NULL,
	`module_id` integer NOT NULL,
	`digest` blob NOT NULL,
	`name` text NOT NULL,
	`visibility` text NOT NULL,
	`is_entry` integer NOT NULL,
	`is_view` integer NOT NULL,
	`is_native` integer NOT NULL,
	`signature` text NOT NULL,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `functions_by_module_id` ON `_functions` (`module_id`);
--> statement-breakpoint
CREATE INDEX `modules_by_name_address_id` ON `_modules` (`name`,`address_id`);--> statement-breakpoint
CREATE INDEX `functions_by_name_module_id` ON `_functions` (`name`,`module_id`);
--> statement-breakpoint
CREATE TABLE `_function_type_params` (
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	`has_copy` integer NOT NULL,
	`has_drop` integer NOT NULL,
	`has_store` integer NOT NULL,
	`has_key` integer NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_function_params` (
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	`type_id` integer NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `_types`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `function_params_by_type_id` ON `_function_params` (`type_id`);
--> statement-breakpoint
CREATE TABLE `_function_returns` (
	`position` integer NOT NULL,
	`function_id` integer NOT NULL,
	`type_id` integer NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `_types`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `function_returns_by_type_id` ON `_function_returns` (`type_id`);
--> statement-breakpoint
CREATE TABLE `_function_acquires` (
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	`struct` text NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_function_attributes` (
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	`kind` integer NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_function_attribute_args` (
	`function_id` integer NOT NULL,
	`attribute` integer NOT NULL,
	`position` integer NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`function_id`, `attribute`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_called_functions` (
	`id` integer PRIMARY KEY NOT NULL,
	`module_id` integer NOT NULL,
	`name` text NOT NULL,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `called_functions_by_module_id_name` ON `_called_functions` (`module_id`,`name`);
--> statement-breakpoint
CREATE INDEX `called_functions_by_name` ON `_called_functions` (`name`);
--> statement-breakpoint
CREATE TABLE `_function_calls` (
	`function_id` integer NOT NULL,
	`called_id` integer NOT NULL,
	PRIMARY KEY(`function_id`, `called_id`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`called_id`) REFERENCES `_called_functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `function_calls_by_called_id` ON `_function_calls` (`called_id`);
--> statement-breakpoint
CREATE TABLE `_structs` (
	`id` integer PRIMARY KEY NOT NULL,
	`module_id` integer NOT NULL,
	`digest` blob NOT NULL,
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
--> statement-breakpoint
CREATE INDEX `structs_by_module_id` ON `_structs` (`module_id`);
--> statement-breakpoint
CREATE INDEX `structs_by_name_module_id` ON `_structs` (`name`,`module_id`);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE `_struct_variants` (
	`struct_id` integer NOT NULL,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`struct_id`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_struct_fields` (
	`struct_id` integer NOT NULL,
	`place` integer NOT NULL,
	`variant` integer,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	`type_id` integer NOT NULL,
	PRIMARY KEY(`struct_id`, `place`),
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `_types`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `struct_fields_by_type_id` ON `_struct_fields` (`type_id`);
--> statement-breakpoint
CREATE INDEX `struct_fields_by_name` ON `_struct_fields` (`name`);
--> statement-breakpoint
CREATE TABLE `_struct_attributes` (
	`struct_id` integer NOT NULL,
	`position` integer NOT NULL,
	`kind` integer NOT NULL,
	PRIMARY KEY(`struct_id`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_struct_attribute_args` (
	`struct_id` integer NOT NULL,
	`attribute` integer NOT NULL,
	`position` integer NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`struct_id`, `attribute`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_error_codes` (
	`id` integer PRIMARY KEY NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `error_codes_by_name` ON `_error_codes` (`name`);
--> statement-breakpoint
CREATE TABLE `_error_maps` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `error_maps_by_digest` ON `_error_maps` (`digest`);
--> statement-breakpoint
CREATE TABLE `_error_map_codes` (
	`error_map_id` integer NOT NULL,
	`position` integer NOT NULL,
	`error_code_id` integer NOT NULL,
	PRIMARY KEY(`error_map_id`, `position`),
	FOREIGN KEY (`error_map_id`) REFERENCES `_error_maps`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`error_code_id`) REFERENCES `_error_codes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `error_map_codes_by_error_code_id` ON `_error_map_codes` (`error_code_id`);
--> statement-breakpoint
CREATE TABLE `_abis` (
	`id` integer PRIMARY KEY NOT NULL,
	`module_id` integer NOT NULL,
	`digest` blob NOT NULL,
	`face_digest` blob NOT NULL,
	`error_map_id` integer,
	`has_calls` integer NOT NULL,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`error_map_id`) REFERENCES `_error_maps`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `abis_by_module_id` ON `_abis` (`module_id`);
--> statement-breakpoint
CREATE INDEX `abis_by_error_map_id` ON `_abis` (`error_map_id`);
--> statement-breakpoint
CREATE TABLE `_abi_functions` (
	`abi_id` integer NOT NULL,
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `function_id`),
	FOREIGN KEY (`abi_id`) REFERENCES `_abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `abi_functions_by_function_id` ON `_abi_functions` (`function_id`);
--> statement-breakpoint
CREATE TABLE `_abi_structs` (
	`abi_id` integer NOT NULL,
	`struct_id` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `struct_id`),
	FOREIGN KEY (`abi_id`) REFERENCES `_abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `abi_structs_by_struct_id` ON `_abi_structs` (`struct_id`);
--> statement-breakpoint
CREATE TABLE `_abi_friends` (
	`abi_id` integer NOT NULL,
	`position` integer NOT NULL,
	`module_id` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `position`),
	FOREIGN KEY (`abi_id`) REFERENCES `_abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_abi_dependencies` (
	`abi_id` integer NOT NULL,
	`module_id` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `module_id`),
	FOREIGN KEY (`abi_id`) REFERENCES `_abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `abi_dependencies_by_module_id` ON `_abi_dependencies` (`module_id`);
--> statement-breakpoint
CREATE TABLE `_search_words` (
	`kind` integer NOT NULL,
	`word` text NOT NULL,
	`item_id` integer NOT NULL,
	PRIMARY KEY(`kind`, `word`, `item_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_ledger_times` (
	`ledger_version` integer PRIMARY KEY NOT NULL,
	`ledger_time` integer NOT NULL,
	`error_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `documentation` (
	`relation` text NOT NULL,
	`kind` text NOT NULL,
	`position` integer NOT NULL,
	`column_name` text NOT NULL,
	`type` text NOT NULL,
	`meaning` text NOT NULL,
	PRIMARY KEY(`relation`, `position`)
) STRICT;
--> statement-breakpoint
DELETE FROM `_modules`;
--> statement-breakpoint
UPDATE `_bytecodes` SET derived_by = NULL, error_code = NULL, error_offset = NULL, error_message = NULL;
--> statement-breakpoint
INSERT OR IGNORE INTO `_ledger_times` SELECT head_version, min(CAST(head_timestamp_usec AS INTEGER) / 1000), 0 FROM `_pins` WHERE CAST(head_timestamp_usec AS INTEGER) / 1000 BETWEEN 1 AND 253402300799999 GROUP BY head_version;
--> statement-breakpoint
INSERT OR IGNORE INTO `_ledger_times` SELECT head_version, min(CAST(timestamp_usec AS INTEGER) / 1000), 0 FROM `_head_samples` WHERE CAST(timestamp_usec AS INTEGER) / 1000 BETWEEN 1 AND 253402300799999 GROUP BY head_version;
--> statement-breakpoint
INSERT INTO `_ledger_times` SELECT b.ledger_version, b.wanted_time, CASE WHEN b.time_error_ms > 1 THEN b.time_error_ms ELSE 1 END FROM `_backfill_points` b WHERE b.wanted_time IS NOT NULL AND b.time_error_ms IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `_ledger_times` k WHERE k.error_ms = 0 AND k.ledger_version <= b.ledger_version);
--> statement-breakpoint
DROP INDEX `bytecodes_by_derived_by_id`;
--> statement-breakpoint
CREATE INDEX `bytecodes_by_id` ON `_bytecodes` (`id`) WHERE derived_by IS NULL;
--> statement-breakpoint
CREATE TABLE `_alert_places` (
	`channel` text PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`ended_at` integer,
	`fault` text
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `judgements_by_address_id_name` ON `_judgements` (`address_id`,`name`);--> statement-breakpoint
CREATE TABLE `_judged_changes` (
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
--> statement-breakpoint
CREATE TABLE `_judged_renames` (
	`from_id` integer NOT NULL,
	`to_id` integer NOT NULL,
	`item_kind` text NOT NULL,
	`from_name` text NOT NULL,
	`to_name` text NOT NULL,
	PRIMARY KEY(`from_id`, `to_id`, `item_kind`, `from_name`),
	FOREIGN KEY (`from_id`) REFERENCES `_bytecodes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_id`) REFERENCES `_bytecodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `_runs` ADD `checksum` integer;
--> statement-breakpoint
ALTER TABLE `_bytecode_blobs` ADD `base_id` integer REFERENCES _bytecodes(id);
--> statement-breakpoint
UPDATE `_bytecode_blobs` SET base_id = (SELECT b.id FROM `_bytecodes` b WHERE b.sha256 = substr(code, 2, 32)), code = substr(code, 34) WHERE substr(code, 1, 1) = x'01' AND EXISTS (SELECT 1 FROM `_bytecodes` b WHERE b.sha256 = substr(code, 2, 32));
--> statement-breakpoint
DROP INDEX `backfill_points_by_wanted_time`;
--> statement-breakpoint
DROP INDEX `source_snapshots_by_source_id`;
