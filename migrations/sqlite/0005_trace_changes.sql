CREATE TABLE `_trace_changes` (
	`trace` text NOT NULL,
	`group_position` integer NOT NULL,
	`position` integer NOT NULL,
	`module` text,
	`after_version` integer NOT NULL,
	`at_or_before_version` integer NOT NULL,
	`from_value` text,
	`to_value` text,
	`probes` integer NOT NULL,
	`least` integer NOT NULL,
	`state` text,
	`reason` text,
	PRIMARY KEY(`trace`, `group_position`, `position`),
	FOREIGN KEY (`trace`) REFERENCES `_traces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`trace`,`group_position`) REFERENCES `_trace_groups`(`trace`,`position`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
DELETE FROM `_trace_groups`;
--> statement-breakpoint
DELETE FROM `_traces`;
--> statement-breakpoint
DELETE FROM `_leases` WHERE `name` LIKE 'trace:%';
--> statement-breakpoint
ALTER TABLE `_trace_groups` DROP COLUMN `modules`;
--> statement-breakpoint
ALTER TABLE `_trace_groups` DROP COLUMN `outcome`;
