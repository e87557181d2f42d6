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
--> statement-breakpoint
CREATE TABLE `_judgement_finding_calls` (
	`judgement_id` integer NOT NULL,
	`finding` integer NOT NULL,
	`position` integer NOT NULL,
	`function` text NOT NULL,
	PRIMARY KEY(`judgement_id`, `finding`, `position`),
	FOREIGN KEY (`judgement_id`) REFERENCES `_judgements`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_judgement_renames` (
	`judgement_id` integer NOT NULL,
	`position` integer NOT NULL,
	`item_kind` text NOT NULL,
	`from_name` text NOT NULL,
	`to_name` text NOT NULL,
	PRIMARY KEY(`judgement_id`, `position`),
	FOREIGN KEY (`judgement_id`) REFERENCES `_judgements`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `_judgement_findings` SELECT j.id, f.key, f.value ->> 'rule', f.value ->> 'item_kind', f.value ->> 'item', f.value ->> 'worst',
	f.value ->> '$.severity.callers', f.value ->> '$.severity.clients', f.value ->> '$.severity.readers', f.value ->> 'upgrade', f.value ->> 'before',
	f.value ->> 'after', f.value ->> 'use' FROM `_judgements` j, json_each(j.findings, '$.findings') f;
--> statement-breakpoint
INSERT INTO `_judgement_finding_calls` SELECT j.id, f.key, c.key, c.value
	FROM `_judgements` j, json_each(j.findings, '$.findings') f, json_each(f.value, '$.chain') c;
--> statement-breakpoint
INSERT INTO `_judgement_renames` SELECT j.id, r.key, r.value ->> 'item_kind', r.value ->> 'from_name', r.value ->> 'to_name'
	FROM `_judgements` j, json_each(j.findings, '$.renamed') r;
--> statement-breakpoint
CREATE TABLE `__new__judgements` (
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
--> statement-breakpoint
INSERT INTO `__new__judgements` SELECT id, watch_id, address_id, name, from_sha256, to_sha256, after_version, at_or_before_version, shown_by, severity,
	is_alert, findings ->> 'total', judged_at, checksum, findings ->> 'reason' FROM `_judgements`;
--> statement-breakpoint
DROP TABLE `_judgements`;
--> statement-breakpoint
ALTER TABLE `__new__judgements` RENAME TO `_judgements`;
--> statement-breakpoint
CREATE INDEX `judgements_by_address_id_name` ON `_judgements` (`address_id`,`name`);
