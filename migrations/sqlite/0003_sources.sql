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
	`last_seen_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `disagreements_by_kind_subject_from_version_stored_found` ON `disagreements` (`kind`,`subject`,`from_version`,`stored`,`found`);--> statement-breakpoint
CREATE TABLE `source_snapshots` (
	`ledger_version` integer NOT NULL,
	`source_id` integer NOT NULL,
	`accounts` integer NOT NULL,
	`new_accounts` integer NOT NULL,
	`digest` blob NOT NULL,
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
	`imported_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sources_by_kind_digest` ON `sources` (`kind`,`digest`);