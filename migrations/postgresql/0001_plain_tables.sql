DROP TABLE IF EXISTS "search_index";
--> statement-breakpoint
ALTER TABLE "addresses" RENAME TO "_addresses";
--> statement-breakpoint
ALTER TABLE "modules" RENAME TO "_modules";
--> statement-breakpoint
ALTER TABLE "bytecodes" RENAME TO "_bytecodes";
--> statement-breakpoint
ALTER TABLE "bytecode_blobs" RENAME TO "_bytecode_blobs";
--> statement-breakpoint
ALTER TABLE "abis" RENAME TO "_abis";
--> statement-breakpoint
ALTER TABLE "abi_parts" RENAME TO "_abi_parts";
--> statement-breakpoint
ALTER TABLE "functions" RENAME TO "_functions";
--> statement-breakpoint
ALTER TABLE "structs" RENAME TO "_structs";
--> statement-breakpoint
ALTER TABLE "abi_friends" RENAME TO "_abi_friends";
--> statement-breakpoint
ALTER TABLE "abi_dependencies" RENAME TO "_abi_dependencies";
--> statement-breakpoint
ALTER TABLE "struct_uses" RENAME TO "_struct_uses";
--> statement-breakpoint
ALTER TABLE "function_calls" RENAME TO "_function_calls";
--> statement-breakpoint
ALTER TABLE "call_parts" RENAME TO "_call_parts";
--> statement-breakpoint
ALTER TABLE "coverage" RENAME TO "_coverage";
--> statement-breakpoint
ALTER TABLE "record_coverage" RENAME TO "_record_coverage";
--> statement-breakpoint
ALTER TABLE "account_spans" RENAME TO "_account_spans";
--> statement-breakpoint
ALTER TABLE "listings" RENAME TO "_listings";
--> statement-breakpoint
ALTER TABLE "listing_modules" RENAME TO "_listing_modules";
--> statement-breakpoint
ALTER TABLE "listing_spans" RENAME TO "_listing_spans";
--> statement-breakpoint
ALTER TABLE "archive" RENAME TO "_archive";
--> statement-breakpoint
ALTER TABLE "pins" RENAME TO "_pins";
--> statement-breakpoint
ALTER TABLE "visits" RENAME TO "_visits";
--> statement-breakpoint
ALTER TABLE "misses" RENAME TO "_misses";
--> statement-breakpoint
ALTER TABLE "targets" RENAME TO "_targets";
--> statement-breakpoint
ALTER TABLE "runs" RENAME TO "_runs";
--> statement-breakpoint
ALTER TABLE "leases" RENAME TO "_leases";
--> statement-breakpoint
ALTER TABLE "head_samples" RENAME TO "_head_samples";
--> statement-breakpoint
ALTER TABLE "batches" RENAME TO "_batches";
--> statement-breakpoint
ALTER TABLE "traces" RENAME TO "_traces";
--> statement-breakpoint
ALTER TABLE "trace_groups" RENAME TO "_trace_groups";
--> statement-breakpoint
ALTER TABLE "workers" RENAME TO "_workers";
--> statement-breakpoint
ALTER TABLE "node_pauses" RENAME TO "_node_pauses";
--> statement-breakpoint
ALTER TABLE "rate_grants" RENAME TO "_rate_grants";
--> statement-breakpoint
ALTER TABLE "module_probes" RENAME TO "_module_probes";
--> statement-breakpoint
ALTER TABLE "account_probes" RENAME TO "_account_probes";
--> statement-breakpoint
ALTER TABLE "backfill_points" RENAME TO "_backfill_points";
--> statement-breakpoint
ALTER TABLE "sources" RENAME TO "_sources";
--> statement-breakpoint
ALTER TABLE "source_snapshots" RENAME TO "_source_snapshots";
--> statement-breakpoint
ALTER TABLE "disagreements" RENAME TO "_disagreements";
--> statement-breakpoint
ALTER TABLE "builds" RENAME TO "_builds";
--> statement-breakpoint
ALTER TABLE "watches" RENAME TO "_watches";
--> statement-breakpoint
ALTER TABLE "judgements" RENAME TO "_judgements";
--> statement-breakpoint
ALTER TABLE "deliveries" RENAME TO "_deliveries";
--> statement-breakpoint
CREATE TABLE "_ledger_times" (
	"ledger_version" bigint PRIMARY KEY NOT NULL,
	"ledger_time" timestamptz NOT NULL,
	"error_ms" bigint NOT NULL
);
--> statement-breakpoint
INSERT INTO "_ledger_times" SELECT head_version, to_timestamp(min(trunc(head_timestamp_usec / 1000)) / 1000.0), 0 FROM "_pins" WHERE trunc(head_timestamp_usec / 1000) BETWEEN 1 AND 253402300799999 GROUP BY head_version ON CONFLICT DO NOTHING;
--> statement-breakpoint
INSERT INTO "_ledger_times" SELECT head_version, to_timestamp(min(trunc(timestamp_usec / 1000)) / 1000.0), 0 FROM "_head_samples" WHERE trunc(timestamp_usec / 1000) BETWEEN 1 AND 253402300799999 GROUP BY head_version ON CONFLICT DO NOTHING;
--> statement-breakpoint
INSERT INTO "_ledger_times" SELECT b.ledger_version, b.wanted_time, CASE WHEN b.time_error_ms > 1 THEN b.time_error_ms ELSE 1 END FROM "_backfill_points" b WHERE b.wanted_time IS NOT NULL AND b.time_error_ms IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "_ledger_times" k WHERE k.error_ms = 0 AND k.ledger_version <= b.ledger_version);
