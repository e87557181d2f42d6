-- Tables have the names of the views that show them.
ALTER TABLE `_pins` RENAME TO `_all_snapshots`;
--> statement-breakpoint
ALTER TABLE `_misses` RENAME TO `_all_gaps`;
--> statement-breakpoint
ALTER TABLE `_disagreements` RENAME TO `_all_findings`;
--> statement-breakpoint
DROP INDEX `misses_by_address_id`;
--> statement-breakpoint
CREATE INDEX `all_gaps_by_address_id` ON `_all_gaps` (`address_id`);
--> statement-breakpoint
DROP INDEX `disagreements_by_kind_subject_from_version_stored_found`;
--> statement-breakpoint
CREATE UNIQUE INDEX `all_findings_by_kind_subject_from_version_stored_found` ON `_all_findings` (`kind`,`subject`,`from_version`,`stored`,`found`);
--> statement-breakpoint
-- The pace that several processes kept together went with `--shared-rate`, and leases, workers and batches with the claims of accounts.
DROP TABLE `_leases`;
--> statement-breakpoint
DROP TABLE `_batches`;
--> statement-breakpoint
DROP TABLE `_trace_changes`;
--> statement-breakpoint
DROP TABLE `_trace_groups`;
--> statement-breakpoint
DROP TABLE `_traces`;
--> statement-breakpoint
DROP TABLE `_workers`;
--> statement-breakpoint
DROP TABLE `_node_pauses`;
--> statement-breakpoint
DROP TABLE `_rate_grants`;
--> statement-breakpoint
ALTER TABLE `_all_snapshots` ADD `sealed_by` text;
--> statement-breakpoint
ALTER TABLE `_visits` ADD `claims` integer;
--> statement-breakpoint
ALTER TABLE `_visits` ADD `claimed_until` integer;
--> statement-breakpoint
ALTER TABLE `_ledger_times` ADD `checksum` integer;
--> statement-breakpoint
ALTER TABLE `_account_spans` DROP COLUMN `checksum`;
--> statement-breakpoint
-- An empty listing has no row: most accounts of a long list have no modules.
CREATE TABLE `__new__listing_spans` (
	`address_id` integer NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	`listing_id` integer,
	PRIMARY KEY(`address_id`, `from_version`),
	FOREIGN KEY (`address_id`) REFERENCES `_addresses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`listing_id`) REFERENCES `_listings`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new__listing_spans` SELECT s.address_id, s.from_version, s.to_version, CASE WHEN l.modules = 0 THEN NULL ELSE s.listing_id END
	FROM _listing_spans s LEFT JOIN _listings l ON l.id = s.listing_id;
--> statement-breakpoint
DROP TABLE `_listing_spans`;
--> statement-breakpoint
ALTER TABLE `__new__listing_spans` RENAME TO `_listing_spans`;
--> statement-breakpoint
CREATE INDEX `listing_spans_by_listing_id` ON `_listing_spans` (`listing_id`) WHERE listing_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `listing_spans_by_address_id` ON `_listing_spans` (`address_id`) WHERE to_version IS NULL AND listing_id IS NOT NULL;
--> statement-breakpoint
UPDATE `_visits` SET listing_id = NULL WHERE listing_id IN (SELECT id FROM _listings WHERE modules = 0);
--> statement-breakpoint
DELETE FROM `_listings` WHERE modules = 0;
--> statement-breakpoint
-- One coverage, whose stretches say whether they read the records too: those that did, and what lies between them.
ALTER TABLE `_coverage` RENAME TO `_older_coverage`;
--> statement-breakpoint
CREATE TABLE `_coverage` (
	`address_id` integer NOT NULL,
	`from_version` integer NOT NULL,
	`to_version` integer,
	`reads_record` integer NOT NULL,
	PRIMARY KEY(`address_id`, `from_version`),
	FOREIGN KEY (`address_id`) REFERENCES `_addresses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `_coverage` SELECT address_id, from_version, to_version, TRUE FROM _record_coverage;
--> statement-breakpoint
INSERT INTO `_coverage` WITH snapshots AS MATERIALIZED (SELECT ledger_version, lag(ledger_version) OVER w AS before, lead(ledger_version) OVER w AS behind
	FROM _all_snapshots WHERE status IN ('sealed', 'sealed_with_gaps') WINDOW w AS (ORDER BY ledger_version)),
with_record AS (SELECT c.address_id, c.from_version, c.to_version, r.from_version AS read_from, r.to_version AS read_to,
	lag(r.to_version) OVER (PARTITION BY c.address_id, c.from_version ORDER BY r.from_version) AS read_before FROM _older_coverage c
	JOIN _record_coverage r ON r.address_id = c.address_id AND r.from_version >= c.from_version AND (c.to_version IS NULL OR r.from_version <= c.to_version)),
last_record AS (SELECT address_id, from_version, CASE WHEN count(*) = count(read_to) THEN max(read_to) END AS read_to FROM with_record GROUP BY address_id, from_version)
SELECT w.address_id, coalesce(e.behind, w.from_version), b.before, FALSE FROM with_record w LEFT JOIN snapshots e ON e.ledger_version = w.read_before
	JOIN snapshots b ON b.ledger_version = w.read_from WHERE coalesce(e.behind, w.from_version) < w.read_from
UNION ALL SELECT c.address_id, coalesce(e.behind, c.from_version), c.to_version, FALSE FROM _older_coverage c
	LEFT JOIN last_record l ON l.address_id = c.address_id AND l.from_version = c.from_version LEFT JOIN snapshots e ON e.ledger_version = l.read_to
	WHERE l.address_id IS NULL OR (e.behind IS NOT NULL AND (c.to_version IS NULL OR e.behind <= c.to_version));
--> statement-breakpoint
DROP TABLE `_older_coverage`;
--> statement-breakpoint
DROP TABLE `_record_coverage`;
--> statement-breakpoint
-- The search index is made anew when the database is opened to write.
DROP TABLE `_search_words`;
--> statement-breakpoint
CREATE TABLE `_search_words` (
	`word` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`word`, `name`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
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
--> statement-breakpoint
-- Declarations of functions are stored once: names and addresses apart, most modules have the same.
CREATE TABLE `_signatures` (
	`id` integer PRIMARY KEY NOT NULL,
	`declaration` text NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO `_signatures` (declaration) SELECT DISTINCT substr(f.signature, 1, instr(f.signature, 'fun ') + 3) || '!' || replace(substr(f.signature, instr(f.signature, 'fun ') + 4 + length(f.name)), a.address || '::', '~')
	FROM _functions f JOIN _modules m ON m.id = f.module_id JOIN _addresses a ON a.id = m.address_id;
--> statement-breakpoint
CREATE UNIQUE INDEX `signatures_by_declaration` ON `_signatures` (`declaration`);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE `__new__functions` (
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
--> statement-breakpoint
INSERT INTO `__new__functions` SELECT f.id, f.module_id, f.name, f.visibility, f.is_entry, f.is_view, f.is_native, s.id FROM _functions f JOIN _modules m ON m.id = f.module_id JOIN _addresses a ON a.id = m.address_id
	JOIN _signatures s ON s.declaration = substr(f.signature, 1, instr(f.signature, 'fun ') + 3) || '!' || replace(substr(f.signature, instr(f.signature, 'fun ') + 4 + length(f.name)), a.address || '::', '~') ORDER BY f.id;
--> statement-breakpoint
INSERT INTO `_signature_type_params` SELECT DISTINCT f.signature_id, p.position, p.has_copy, p.has_drop, p.has_store, p.has_key
	FROM __new__functions f JOIN _function_type_params p ON p.function_id = f.id;
--> statement-breakpoint
DROP TABLE `_function_type_params`;
--> statement-breakpoint
DROP TABLE `_functions`;
--> statement-breakpoint
ALTER TABLE `__new__functions` RENAME TO `_functions`;
--> statement-breakpoint
CREATE INDEX `functions_by_name_module_id` ON `_functions` (`name`,`module_id`);
--> statement-breakpoint
-- Whether two ABIs have the same parts is seen by decoding both again.
ALTER TABLE `_structs` DROP COLUMN `digest`;
--> statement-breakpoint
-- Of ABIs, only those of one module are compared by what a node prints: most modules have one, which needs no digest.
CREATE TABLE `__new__abis` (
	`id` integer PRIMARY KEY NOT NULL,
	`module_id` integer NOT NULL,
	`error_map_id` integer,
	`has_calls` integer NOT NULL,
	`face` integer NOT NULL,
	FOREIGN KEY (`module_id`) REFERENCES `_modules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`error_map_id`) REFERENCES `_error_maps`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
INSERT INTO `__new__abis` SELECT id, module_id, error_map_id, has_calls, dense_rank() OVER (PARTITION BY module_id ORDER BY face_digest) - 1 FROM _abis;
--> statement-breakpoint
DROP TABLE `_abis`;
--> statement-breakpoint
ALTER TABLE `__new__abis` RENAME TO `_abis`;
--> statement-breakpoint
CREATE INDEX `abis_by_module_id` ON `_abis` (`module_id`);
--> statement-breakpoint
CREATE INDEX `abis_by_error_map_id` ON `_abis` (`error_map_id`);
--> statement-breakpoint
DROP INDEX IF EXISTS `structs_by_module_id`;
--> statement-breakpoint
-- How often types are named is counted when the database is opened to write.
CREATE TABLE `_type_counts` (
	`type_id` integer PRIMARY KEY NOT NULL,
	`params` integer NOT NULL,
	`returns` integer NOT NULL,
	`fields` integer NOT NULL,
	FOREIGN KEY (`type_id`) REFERENCES `_types`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
