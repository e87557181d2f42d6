-- Tables have the names of the views that show them.
ALTER TABLE `_pins` RENAME TO `_snapshots`;
--> statement-breakpoint
ALTER TABLE `_misses` RENAME TO `_gaps`;
--> statement-breakpoint
ALTER TABLE `_disagreements` RENAME TO `_findings`;
--> statement-breakpoint
DROP INDEX `misses_by_address_id`;
--> statement-breakpoint
CREATE INDEX `gaps_by_address_id` ON `_gaps` (`address_id`);
--> statement-breakpoint
DROP INDEX `disagreements_by_kind_subject_from_version_stored_found`;
--> statement-breakpoint
CREATE UNIQUE INDEX `findings_by_kind_subject_from_version_stored_found` ON `_findings` (`kind`,`subject`,`from_version`,`stored`,`found`);
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
ALTER TABLE `_snapshots` ADD `sealed_by` text;
--> statement-breakpoint
ALTER TABLE `_visits` ADD `claims` integer;
--> statement-breakpoint
ALTER TABLE `_visits` ADD `claimed_until` integer;
--> statement-breakpoint
ALTER TABLE `_ledger_times` ADD `checksum` integer;
--> statement-breakpoint
ALTER TABLE `_account_spans` DROP COLUMN `checksum`;
--> statement-breakpoint
ALTER TABLE `_listing_spans` DROP COLUMN `checksum`;
--> statement-breakpoint
-- The search index is made anew when the database is opened to write.
DROP TABLE `_search_words`;
--> statement-breakpoint
CREATE TABLE `_search_words` (
	`word` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`word`, `name`)
) STRICT, WITHOUT ROWID;
