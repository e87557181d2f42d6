CREATE TABLE `_watch_uses` (
	`watch_id` integer NOT NULL,
	`kind` text NOT NULL,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`watch_id`, `kind`, `position`),
	FOREIGN KEY (`watch_id`) REFERENCES `_watches`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `_watch_uses` SELECT w.id, k.kind, u.key, u.value FROM `_watches` w
	CROSS JOIN (SELECT 'own' AS kind, '$.own' AS path UNION ALL SELECT 'module', '$.modules' UNION ALL SELECT 'function', '$.functions'
		UNION ALL SELECT 'struct', '$.structs') k, json_each(w.uses, k.path) u;
--> statement-breakpoint
CREATE TABLE `__new__watches` (
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
--> statement-breakpoint
INSERT INTO `__new__watches` SELECT id, subject, audience, level, uses IS NOT NULL, since_version, added_at, removed_at, checksum FROM `_watches`;
--> statement-breakpoint
DROP TABLE `_watches`;
--> statement-breakpoint
ALTER TABLE `__new__watches` RENAME TO `_watches`;
