CREATE TABLE `abi_dependencies` (
	`abi_id` integer NOT NULL,
	`position` integer NOT NULL,
	`module_id` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `position`),
	FOREIGN KEY (`abi_id`) REFERENCES `abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`module_id`) REFERENCES `modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `abi_dependencies_by_module_id` ON `abi_dependencies` (`module_id`);--> statement-breakpoint
CREATE TABLE `abi_error_codes` (
	`abi_id` integer NOT NULL,
	`position` integer NOT NULL,
	`error_code_id` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `position`),
	FOREIGN KEY (`abi_id`) REFERENCES `abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`error_code_id`) REFERENCES `error_codes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `abi_friends` (
	`abi_id` integer NOT NULL,
	`position` integer NOT NULL,
	`module_id` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `position`),
	FOREIGN KEY (`abi_id`) REFERENCES `abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`module_id`) REFERENCES `modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `abi_friends_by_module_id` ON `abi_friends` (`module_id`);--> statement-breakpoint
CREATE TABLE `abi_functions` (
	`abi_id` integer NOT NULL,
	`position` integer NOT NULL,
	`function_id` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `position`),
	FOREIGN KEY (`abi_id`) REFERENCES `abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`function_id`) REFERENCES `functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `abi_functions_by_function_id` ON `abi_functions` (`function_id`);--> statement-breakpoint
CREATE TABLE `abi_structs` (
	`abi_id` integer NOT NULL,
	`position` integer NOT NULL,
	`struct_id` integer NOT NULL,
	PRIMARY KEY(`abi_id`, `position`),
	FOREIGN KEY (`abi_id`) REFERENCES `abis`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`struct_id`) REFERENCES `structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `abi_structs_by_struct_id` ON `abi_structs` (`struct_id`);--> statement-breakpoint
CREATE TABLE `abis` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` blob NOT NULL,
	`decoder` text NOT NULL,
	`module_id` integer NOT NULL,
	`node_digest` blob NOT NULL,
	FOREIGN KEY (`module_id`) REFERENCES `modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `abis_by_digest_decoder` ON `abis` (`digest`,`decoder`);--> statement-breakpoint
CREATE TABLE `account_spans` (
	`address_id` integer NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	`sequence_number` text NOT NULL,
	`authentication_key` blob NOT NULL,
	`resource` blob,
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
	`views_digest` text
) STRICT;
--> statement-breakpoint
CREATE TABLE `bytecodes` (
	`id` integer PRIMARY KEY NOT NULL,
	`sha256` blob NOT NULL,
	`size` integer NOT NULL,
	`bytecode_version` integer,
	`code` blob NOT NULL,
	`abi_id` integer,
	`decoder` text NOT NULL,
	`error_code` text,
	`error_offset` integer,
	`error_message` text,
	FOREIGN KEY (`abi_id`) REFERENCES `abis`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `bytecodes_by_sha256` ON `bytecodes` (`sha256`);--> statement-breakpoint
CREATE INDEX `bytecodes_by_abi_id` ON `bytecodes` (`abi_id`);--> statement-breakpoint
CREATE TABLE `coverage` (
	`address_id` integer NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	PRIMARY KEY(`address_id`, `from_version`),
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `error_codes` (
	`id` integer PRIMARY KEY NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `error_codes_by_code_name_description` ON `error_codes` (`code`,`name`,`description`);--> statement-breakpoint
CREATE TABLE `fields` (
	`struct_id` integer NOT NULL,
	`variant` integer NOT NULL,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	`type_id` integer NOT NULL,
	PRIMARY KEY(`struct_id`, `variant`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `structs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `types`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `fields_by_type_id` ON `fields` (`type_id`);--> statement-breakpoint
CREATE TABLE `function_attributes` (
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	`kind` integer NOT NULL,
	`args` text NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `function_params` (
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	`type_id` integer NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `functions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `types`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `function_params_by_type_id` ON `function_params` (`type_id`);--> statement-breakpoint
CREATE TABLE `function_returns` (
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	`type_id` integer NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `functions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `types`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `function_returns_by_type_id` ON `function_returns` (`type_id`);--> statement-breakpoint
CREATE TABLE `function_type_params` (
	`function_id` integer NOT NULL,
	`position` integer NOT NULL,
	`is_phantom` integer NOT NULL,
	`has_copy` integer NOT NULL,
	`has_drop` integer NOT NULL,
	`has_store` integer NOT NULL,
	`has_key` integer NOT NULL,
	PRIMARY KEY(`function_id`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `functions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `functions` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` blob NOT NULL,
	`name` text NOT NULL,
	`visibility` text NOT NULL,
	`is_entry` integer NOT NULL,
	`is_view` integer NOT NULL,
	`is_native` integer NOT NULL,
	`signature` text NOT NULL,
	`acquires` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `functions_by_digest` ON `functions` (`digest`);--> statement-breakpoint
CREATE INDEX `functions_by_name` ON `functions` (`name`);--> statement-breakpoint
CREATE TABLE `head_samples` (
	`id` integer PRIMARY KEY NOT NULL,
	`node` text NOT NULL,
	`sampled_at` integer NOT NULL,
	`head_version` integer NOT NULL,
	`oldest_version` integer NOT NULL,
	`timestamp_usec` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `head_samples_by_node_sampled_at` ON `head_samples` (`node`,`sampled_at`);--> statement-breakpoint
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
	PRIMARY KEY(`ledger_version`, `address_id`),
	FOREIGN KEY (`ledger_version`) REFERENCES `pins`(`ledger_version`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `misses_by_address_id` ON `misses` (`address_id`);--> statement-breakpoint
CREATE TABLE `module_spans` (
	`address_id` integer NOT NULL,
	`name` text NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	`bytecode_id` integer NOT NULL,
	PRIMARY KEY(`address_id`, `name`, `from_version`),
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bytecode_id`) REFERENCES `bytecodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `module_spans_by_bytecode_id` ON `module_spans` (`bytecode_id`);--> statement-breakpoint
CREATE TABLE `modules` (
	`id` integer PRIMARY KEY NOT NULL,
	`address_id` integer NOT NULL,
	`name` text NOT NULL,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `modules_by_address_id_name` ON `modules` (`address_id`,`name`);--> statement-breakpoint
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
	`digest` blob
) STRICT;
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
CREATE TABLE `struct_attributes` (
	`struct_id` integer NOT NULL,
	`position` integer NOT NULL,
	`kind` integer NOT NULL,
	`args` text NOT NULL,
	PRIMARY KEY(`struct_id`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `struct_type_params` (
	`struct_id` integer NOT NULL,
	`position` integer NOT NULL,
	`is_phantom` integer NOT NULL,
	`has_copy` integer NOT NULL,
	`has_drop` integer NOT NULL,
	`has_store` integer NOT NULL,
	`has_key` integer NOT NULL,
	PRIMARY KEY(`struct_id`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `structs` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` blob NOT NULL,
	`name` text NOT NULL,
	`is_native` integer NOT NULL,
	`is_event` integer NOT NULL,
	`is_enum` integer NOT NULL,
	`has_copy` integer NOT NULL,
	`has_drop` integer NOT NULL,
	`has_store` integer NOT NULL,
	`has_key` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `structs_by_digest` ON `structs` (`digest`);--> statement-breakpoint
CREATE INDEX `structs_by_name` ON `structs` (`name`);--> statement-breakpoint
CREATE TABLE `targets` (
	`address_id` integer PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`via` text,
	`depth` integer NOT NULL,
	`added_at` integer NOT NULL,
	`removed_at` integer,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `type_structs` (
	`type_id` integer NOT NULL,
	`module_id` integer NOT NULL,
	`struct` text NOT NULL,
	PRIMARY KEY(`type_id`, `module_id`, `struct`),
	FOREIGN KEY (`type_id`) REFERENCES `types`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`module_id`) REFERENCES `modules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `type_structs_by_module_id_struct` ON `type_structs` (`module_id`,`struct`);--> statement-breakpoint
CREATE TABLE `types` (
	`id` integer PRIMARY KEY NOT NULL,
	`type` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `types_by_type` ON `types` (`type`);--> statement-breakpoint
CREATE TABLE `variants` (
	`struct_id` integer NOT NULL,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`struct_id`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `structs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `visit_modules` (
	`ledger_version` integer NOT NULL,
	`address_id` integer NOT NULL,
	`name` text NOT NULL,
	`bytecode_id` integer NOT NULL,
	PRIMARY KEY(`ledger_version`, `address_id`, `name`),
	FOREIGN KEY (`ledger_version`) REFERENCES `pins`(`ledger_version`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bytecode_id`) REFERENCES `bytecodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `visits` (
	`ledger_version` integer NOT NULL,
	`position` integer NOT NULL,
	`address_id` integer NOT NULL,
	`state` text NOT NULL,
	`same_as_version` integer,
	`has_record` integer,
	`sequence_number` text,
	`authentication_key` blob,
	`resource` blob,
	PRIMARY KEY(`ledger_version`, `position`),
	FOREIGN KEY (`ledger_version`) REFERENCES `pins`(`ledger_version`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `visits_by_ledger_version_address_id` ON `visits` (`ledger_version`,`address_id`);