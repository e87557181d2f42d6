-- Tables have the names of the views that show them.
ALTER TABLE "_pins" RENAME TO "_snapshots";
--> statement-breakpoint
ALTER TABLE "_misses" RENAME TO "_gaps";
--> statement-breakpoint
ALTER TABLE "_disagreements" RENAME TO "_findings";
--> statement-breakpoint
ALTER INDEX "misses_by_address_id" RENAME TO "gaps_by_address_id";
--> statement-breakpoint
ALTER INDEX "disagreements_by_kind_subject_from_version_stored_found" RENAME TO "findings_by_kind_subject_from_version_stored_found";
--> statement-breakpoint
-- The pace that several processes kept together went with `--shared-rate`, and leases, workers and batches with the claims of accounts.
DROP TABLE "_leases" CASCADE;
--> statement-breakpoint
DROP TABLE "_batches" CASCADE;
--> statement-breakpoint
DROP TABLE "_trace_changes" CASCADE;
--> statement-breakpoint
DROP TABLE "_trace_groups" CASCADE;
--> statement-breakpoint
DROP TABLE "_traces" CASCADE;
--> statement-breakpoint
DROP TABLE "_workers" CASCADE;
--> statement-breakpoint
DROP TABLE "_node_pauses" CASCADE;
--> statement-breakpoint
DROP TABLE "_rate_grants" CASCADE;
--> statement-breakpoint
ALTER TABLE "_snapshots" ADD COLUMN "sealed_by" text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "_visits" ADD COLUMN "claims" bigint;
--> statement-breakpoint
ALTER TABLE "_visits" ADD COLUMN "claimed_until" timestamptz;
--> statement-breakpoint
ALTER TABLE "_ledger_times" ADD COLUMN "checksum" bigint;
--> statement-breakpoint
ALTER TABLE "_account_spans" DROP COLUMN "checksum";
--> statement-breakpoint
ALTER TABLE "_listing_spans" DROP COLUMN "checksum";
--> statement-breakpoint
-- The search index is made anew when the database is opened to write.
DROP TABLE "_search_words" CASCADE;
--> statement-breakpoint
CREATE TABLE "_search_words" (
	"word" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	CONSTRAINT "_search_words_word_name_pk" PRIMARY KEY("word","name")
);
