CREATE TABLE `abi_dependencies` (
	`abi_id` integer NOT NULL,
	`position` integer NOT NULL,
	`module_id` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `position`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `abi_dependencies_by_module_id` ON `abi_dependencies` (`module_id`);--> statement-breakpoint
CREATE TABLE `abi_friends` (
	`abi_id` integer NOT NULL,
	`position` integer NOT NULL,
	`module_id` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `position`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `abi_friends_by_module_id` ON `abi_friends` (`module_id`);--> statement-breakpoint
CREATE TABLE `abi_parts` (
	`abi_id` integer NOT NULL,
	`kind` integer NOT NULL,
	`position` integer NOT NULL,
	`source_id` integer NOT NULL,
	`first_place` integer NOT NULL,
	`last_place` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `kind`, `position`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `abi_parts_by_source_id_kind` ON `abi_parts` (`source_id`,`kind`);--> statement-breakpoint
CREATE TABLE `abis` (
	`id` integer PRIMARY KEY NOT NULL,
	`module_id` integer NOT NULL,
	`face_digest` blob NOT NULL,
	`errors_abi_id` integer,
	`errors` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `abis_by_module_id` ON `abis` (`module_id`);--> statement-breakpoint
CREATE INDEX `abis_by_errors_abi_id` ON `abis` (`errors_abi_id`);--> statement-breakpoint
CREATE TABLE `account_probes` (
	`address_id` integer NOT NULL,
	`ledger_version` integer NOT NULL,
	`sequence_number` text,
	`authentication_key` blob,
	`source` text,
	`checksum` integer,
	PRIMARY KEY(`address_id`, `ledger_version`),
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `account_spans` (
	`address_id` integer NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	`sequence_number` text NOT NULL,
	`authentication_key` blob NOT NULL,
	`resource` blob,
	`checksum` integer,
	PRIMARY KEY(`address_id`, `from_version`),
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `addresses` (
	`id` integer PRIMARY KEY NOT NULL,
	`address` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `addresses_by_address` ON `addresses` (`address`);--> statement-breakpoint
CREATE TABLE `archive` (
	`id` integer PRIMARY KEY NOT NULL,
	`chain_id` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`views_digest` text,
	`checksum` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `backfill_points` (
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
--> statement-breakpoint
CREATE INDEX `backfill_points_by_wanted_time` ON `backfill_points` (`wanted_time`);--> statement-breakpoint
CREATE TABLE `batches` (
	`ledger_version` integer NOT NULL,
	`first_position` integer NOT NULL,
	`last_position` integer NOT NULL,
	`accounts` integer NOT NULL,
	`round` integer NOT NULL,
	`due_at` integer,
	PRIMARY KEY(`ledger_version`, `first_position`),
	FOREIGN KEY (`ledger_version`) REFERENCES `pins`(`ledger_version`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `batches_by_ledger_version_round_first_position` ON `batches` (`ledger_version`,`round`,`first_position`);--> statement-breakpoint
CREATE TABLE `builds` (
	`node` text NOT NULL,
	`git_hash` text NOT NULL,
	`build` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`checksum` integer,
	PRIMARY KEY(`node`, `git_hash`, `build`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `bytecode_blobs` (
	`id` integer PRIMARY KEY NOT NULL,
	`code` blob NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `bytecodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `bytecodes` (
	`id` integer PRIMARY KEY NOT NULL,
	`sha256` blob NOT NULL,
	`size` integer NOT NULL,
	`bytecode_version` integer,
	`derived_by` text,
	`abi_id` integer,
	`calls_id` integer,
	`node_abi` text,
	`error_code` text,
	`error_offset` integer,
	`error_message` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `bytecodes_by_sha256` ON `bytecodes` (`sha256`);--> statement-breakpoint
CREATE INDEX `bytecodes_by_abi_id` ON `bytecodes` (`abi_id`);--> statement-breakpoint
CREATE INDEX `bytecodes_by_derived_by_id` ON `bytecodes` (`derived_by`,`id`);--> statement-breakpoint
CREATE TABLE `call_parts` (
	`bytecode_id` integer NOT NULL,
	`position` integer NOT NULL,
	`source_id` integer NOT NULL,
	`first_place` integer NOT NULL,
	`last_place` integer NOT NULL,
	PRIMARY KEY(`bytecode_id`, `position`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `coverage` (
	`address_id` integer NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	PRIMARY KEY(`address_id`, `from_version`),
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `deliveries` (
	`judgement_id` integer NOT NULL,
	`channel` text NOT NULL,
	`delivery_id` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_at` integer NOT NULL,
	`told_at` integer,
	`fault` text,
	PRIMARY KEY(`judgement_id`, `channel`),
	FOREIGN KEY (`judgement_id`) REFERENCES `judgements`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `deliveries_by_channel_state` ON `deliveries` (`channel`,`state`);--> statement-breakpoint
CREATE TABLE `disagreements` (
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
--> statement-breakpoint
CREATE UNIQUE INDEX `disagreements_by_kind_subject_from_version_stored_found` ON `disagreements` (`kind`,`subject`,`from_version`,`stored`,`found`);--> statement-breakpoint
CREATE TABLE `function_calls` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`callees` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `functions` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`traits` integer NOT NULL,
	`type_params` text,
	`params` text,
	`returns` text,
	`acquires` text,
	`attributes` text,
	`signature` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `functions_by_name` ON `functions` (`name`);--> statement-breakpoint
CREATE TABLE `head_samples` (
	`id` integer PRIMARY KEY NOT NULL,
	`node` text NOT NULL,
	`sampled_at` integer NOT NULL,
	`head_version` integer NOT NULL,
	`oldest_version` integer NOT NULL,
	`timestamp_usec` text NOT NULL,
	`checksum` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `head_samples_by_node_sampled_at` ON `head_samples` (`node`,`sampled_at`);--> statement-breakpoint
CREATE TABLE `judgements` (
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
	`findings` text NOT NULL,
	`judged_at` integer NOT NULL,
	`checksum` integer,
	FOREIGN KEY (`watch_id`) REFERENCES `watches`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `judgements_by_watch_id_address_id_name` ON `judgements` (`watch_id`,`address_id`,`name`);--> statement-breakpoint
CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`fence` integer NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `listing_modules` (
	`listing_id` integer NOT NULL,
	`name` text NOT NULL,
	`bytecode_id` integer NOT NULL,
	PRIMARY KEY(`listing_id`, `name`),
	FOREIGN KEY (`listing_id`) REFERENCES `listings`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bytecode_id`) REFERENCES `bytecodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `listing_modules_by_bytecode_id` ON `listing_modules` (`bytecode_id`);--> statement-breakpoint
CREATE TABLE `listing_spans` (
	`address_id` integer NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	`listing_id` integer NOT NULL,
	`checksum` integer,
	PRIMARY KEY(`address_id`, `from_version`),
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`listing_id`) REFERENCES `listings`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `listing_spans_by_listing_id` ON `listing_spans` (`listing_id`);--> statement-breakpoint
CREATE INDEX `listing_spans_by_address_id` ON `listing_spans` (`address_id`) WHERE to_version IS NULL;--> statement-breakpoint
CREATE TABLE `listings` (
	`id` integer PRIMARY KEY NOT NULL,
	`address_id` integer NOT NULL,
	`digest` blob NOT NULL,
	`modules` integer NOT NULL,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `listings_by_address_id_digest` ON `listings` (`address_id`,`digest`);--> statement-breakpoint
CREATE TABLE `misses` (
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
	FOREIGN KEY (`ledger_version`) REFERENCES `pins`(`ledger_version`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `misses_by_address_id` ON `misses` (`address_id`);--> statement-breakpoint
CREATE TABLE `module_probes` (
	`address_id` integer NOT NULL,
	`name` text NOT NULL,
	`ledger_version` integer NOT NULL,
	`bytecode_id` integer,
	`source` text,
	`checksum` integer,
	PRIMARY KEY(`address_id`, `name`, `ledger_version`),
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bytecode_id`) REFERENCES `bytecodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `module_probes_by_bytecode_id` ON `module_probes` (`bytecode_id`);--> statement-breakpoint
CREATE TABLE `modules` (
	`id` integer PRIMARY KEY NOT NULL,
	`address_id` integer NOT NULL,
	`name` text NOT NULL,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `modules_by_address_id_name` ON `modules` (`address_id`,`name`);--> statement-breakpoint
CREATE TABLE `node_pauses` (
	`node` text PRIMARY KEY NOT NULL,
	`paused_until` integer,
	`complained_at` integer
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `pins` (
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
) STRICT;
--> statement-breakpoint
CREATE TABLE `rate_grants` (
	`node` text NOT NULL,
	`owner` text NOT NULL,
	`limit_milli` integer NOT NULL,
	`wants_milli` integer NOT NULL,
	`granted_milli` integer NOT NULL,
	`until` integer NOT NULL,
	PRIMARY KEY(`node`, `owner`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `record_coverage` (
	`address_id` integer NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	PRIMARY KEY(`address_id`, `from_version`),
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `runs` (
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
) STRICT;
--> statement-breakpoint
CREATE TABLE `source_snapshots` (
	`ledger_version` integer NOT NULL,
	`source_id` integer NOT NULL,
	`accounts` integer NOT NULL,
	`new_accounts` integer NOT NULL,
	`digest` blob NOT NULL,
	`checksum` integer,
	PRIMARY KEY(`ledger_version`, `source_id`),
	FOREIGN KEY (`ledger_version`) REFERENCES `pins`(`ledger_version`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `source_snapshots_by_source_id` ON `source_snapshots` (`source_id`);--> statement-breakpoint
CREATE TABLE `sources` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`digest` text NOT NULL,
	`imported_at` integer NOT NULL,
	`checksum` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sources_by_kind_digest` ON `sources` (`kind`,`digest`);--> statement-breakpoint
CREATE TABLE `struct_uses` (
	`abi_id` integer NOT NULL,
	`module_id` integer NOT NULL,
	`struct` text NOT NULL,
	PRIMARY KEY(`abi_id`, `module_id`, `struct`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `struct_uses_by_module_id_struct` ON `struct_uses` (`module_id`,`struct`);--> statement-breakpoint
CREATE TABLE `structs` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`traits` integer NOT NULL,
	`type_params` text,
	`attributes` text,
	`variants` text,
	`fields` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `structs_by_name` ON `structs` (`name`);--> statement-breakpoint
CREATE TABLE `targets` (
	`address_id` integer PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`via` text,
	`depth` integer NOT NULL,
	`added_at` integer NOT NULL,
	`added_by` text,
	`label` text,
	`removed_at` integer,
	`checksum` integer,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `trace_groups` (
	`trace` text NOT NULL,
	`position` integer NOT NULL,
	`address_id` integer NOT NULL,
	`modules` text,
	`after_version` integer NOT NULL,
	`at_or_before_version` integer NOT NULL,
	`least` integer NOT NULL,
	`is_urgent` integer NOT NULL,
	`is_passed_on` integer NOT NULL,
	`is_done` integer NOT NULL,
	`probes` integer NOT NULL,
	`outcome` text,
	PRIMARY KEY(`trace`, `position`),
	FOREIGN KEY (`trace`) REFERENCES `traces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `traces` (
	`id` text PRIMARY KEY NOT NULL,
	`address` text,
	`module` text,
	`from_version` integer,
	`to_version` integer,
	`first_above` integer,
	`requests_left` integer,
	`ends_at` integer,
	`rounds` integer NOT NULL,
	`opened_at` integer NOT NULL,
	`ended_at` integer
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `visits` (
	`ledger_version` integer NOT NULL,
	`position` integer NOT NULL,
	`address_id` integer NOT NULL,
	`state` text NOT NULL,
	`reads_record` integer NOT NULL,
	`same_as_version` integer,
	`listing_id` integer,
	`sequence_number` text,
	`authentication_key` blob,
	`resource` blob,
	PRIMARY KEY(`ledger_version`, `position`),
	FOREIGN KEY (`ledger_version`) REFERENCES `pins`(`ledger_version`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`listing_id`) REFERENCES `listings`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `visits_by_ledger_version_address_id` ON `visits` (`ledger_version`,`address_id`);--> statement-breakpoint
CREATE TABLE `watches` (
	`id` integer PRIMARY KEY NOT NULL,
	`subject` text NOT NULL,
	`audience` text,
	`level` text NOT NULL,
	`uses` text,
	`since_version` integer,
	`added_at` integer NOT NULL,
	`removed_at` integer,
	`checksum` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `workers` (
	`owner` text PRIMARY KEY NOT NULL,
	`command` text NOT NULL,
	`node` text NOT NULL,
	`since` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`ledger_version` integer,
	`accounts` integer NOT NULL,
	`requests` integer NOT NULL,
	`per_minute` integer NOT NULL
) STRICT, WITHOUT ROWID;
