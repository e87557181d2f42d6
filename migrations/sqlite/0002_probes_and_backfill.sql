CREATE TABLE `account_probes` (
	`address_id` integer NOT NULL,
	`ledger_version` integer NOT NULL,
	`sequence_number` text,
	`authentication_key` blob,
	PRIMARY KEY(`address_id`, `ledger_version`),
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
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
	`accounts_inferred` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `backfill_points_by_wanted_time` ON `backfill_points` (`wanted_time`);--> statement-breakpoint
CREATE TABLE `module_probes` (
	`address_id` integer NOT NULL,
	`name` text NOT NULL,
	`ledger_version` integer NOT NULL,
	`bytecode_id` integer,
	PRIMARY KEY(`address_id`, `name`, `ledger_version`),
	FOREIGN KEY (`address_id`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bytecode_id`) REFERENCES `bytecodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `module_probes_by_bytecode_id` ON `module_probes` (`bytecode_id`);