-- Tables have the names of the views that show them.
ALTER TABLE "_pins" RENAME TO "_all_snapshots";
--> statement-breakpoint
ALTER TABLE "_misses" RENAME TO "_all_gaps";
--> statement-breakpoint
ALTER TABLE "_disagreements" RENAME TO "_all_findings";
--> statement-breakpoint
ALTER INDEX "misses_by_address_id" RENAME TO "all_gaps_by_address_id";
--> statement-breakpoint
ALTER INDEX "disagreements_by_kind_subject_from_version_stored_found" RENAME TO "all_findings_by_kind_subject_from_version_stored_found";
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
ALTER TABLE "_all_snapshots" ADD COLUMN "sealed_by" text COLLATE "C";
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
-- An empty listing has no row: most accounts of a long list have no modules.
DROP INDEX "listing_spans_by_listing_id";
--> statement-breakpoint
DROP INDEX "listing_spans_by_address_id";
--> statement-breakpoint
ALTER TABLE "_listing_spans" ALTER COLUMN "listing_id" DROP NOT NULL;
--> statement-breakpoint
UPDATE "_listing_spans" SET listing_id = NULL WHERE listing_id IN (SELECT id FROM _listings WHERE modules = 0);
--> statement-breakpoint
UPDATE "_visits" SET listing_id = NULL WHERE listing_id IN (SELECT id FROM _listings WHERE modules = 0);
--> statement-breakpoint
DELETE FROM "_listings" WHERE modules = 0;
--> statement-breakpoint
CREATE INDEX "listing_spans_by_listing_id" ON "_listing_spans" USING btree ("listing_id") WHERE listing_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "listing_spans_by_address_id" ON "_listing_spans" USING btree ("address_id") WHERE to_version IS NULL AND listing_id IS NOT NULL;
--> statement-breakpoint
-- One coverage, whose stretches say whether they read the records too: those that did, and what lies between them.
ALTER TABLE "_coverage" RENAME TO "_older_coverage";
--> statement-breakpoint
CREATE TABLE "_coverage" (
	"address_id" bigint NOT NULL,
	"from_version" bigint NOT NULL,
	"to_version" bigint,
	"reads_record" boolean NOT NULL,
	CONSTRAINT "_coverage_address_id_from_version_pk" PRIMARY KEY("address_id","from_version")
);
--> statement-breakpoint
INSERT INTO "_coverage" SELECT address_id, from_version, to_version, TRUE FROM _record_coverage;
--> statement-breakpoint
INSERT INTO "_coverage" WITH snapshots AS MATERIALIZED (SELECT ledger_version, lag(ledger_version) OVER w AS before, lead(ledger_version) OVER w AS behind
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
DROP TABLE "_older_coverage" CASCADE;
--> statement-breakpoint
DROP TABLE "_record_coverage" CASCADE;
--> statement-breakpoint
ALTER TABLE "_coverage" ADD CONSTRAINT "_coverage_address_id__addresses_id_fk" FOREIGN KEY ("address_id") REFERENCES "_addresses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
-- The search index is made anew when the database is opened to write.
DROP TABLE "_search_words" CASCADE;
--> statement-breakpoint
CREATE TABLE "_search_words" (
	"word" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	CONSTRAINT "_search_words_word_name_pk" PRIMARY KEY("word","name")
);
--> statement-breakpoint
CREATE TABLE "_judged_findings" (
	"from_id" bigint NOT NULL,
	"to_id" bigint NOT NULL,
	"position" bigint NOT NULL,
	"rule" text COLLATE "C" NOT NULL,
	"item_kind" text COLLATE "C" NOT NULL,
	"item" text COLLATE "C",
	"severity" text COLLATE "C" NOT NULL,
	"callers" text COLLATE "C",
	"clients" text COLLATE "C",
	"readers" text COLLATE "C",
	"upgrade" text COLLATE "C" NOT NULL,
	"before" text COLLATE "C",
	"after" text COLLATE "C",
	CONSTRAINT "_judged_findings_from_id_to_id_position_pk" PRIMARY KEY("from_id","to_id","position")
);
--> statement-breakpoint
ALTER TABLE "_judged_findings" ADD CONSTRAINT "_judged_findings_from_id__bytecodes_id_fk" FOREIGN KEY ("from_id") REFERENCES "_bytecodes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "_judged_findings" ADD CONSTRAINT "_judged_findings_to_id__bytecodes_id_fk" FOREIGN KEY ("to_id") REFERENCES "_bytecodes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "_judged_findings" ADD CONSTRAINT "_judged_findings__judged_upgrades_fk" FOREIGN KEY ("from_id","to_id") REFERENCES "_judged_upgrades"("from_id","to_id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
-- Declarations of functions are stored once: names and addresses apart, most modules have the same.
CREATE TABLE "_signatures" (
	"id" bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY (sequence name "_signatures_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"declaration" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
INSERT INTO "_signatures" (declaration) SELECT DISTINCT substr(f.signature, 1, strpos(f.signature, 'fun ') + 3) || '!' || replace(substr(f.signature, strpos(f.signature, 'fun ') + 4 + length(f.name)), a.address || '::', '~')
	FROM _functions f JOIN _modules m ON m.id = f.module_id JOIN _addresses a ON a.id = m.address_id;
--> statement-breakpoint
CREATE INDEX "signatures_by_declaration" ON "_signatures" USING hash ("declaration");
--> statement-breakpoint
ALTER TABLE "_functions" ADD COLUMN "signature_id" bigint;
--> statement-breakpoint
UPDATE "_functions" t SET signature_id = s.id FROM _functions f JOIN _modules m ON m.id = f.module_id JOIN _addresses a ON a.id = m.address_id JOIN _signatures s
	ON s.declaration = substr(f.signature, 1, strpos(f.signature, 'fun ') + 3) || '!' || replace(substr(f.signature, strpos(f.signature, 'fun ') + 4 + length(f.name)), a.address || '::', '~') WHERE f.id = t.id;
--> statement-breakpoint
ALTER TABLE "_functions" ALTER COLUMN "signature_id" SET NOT NULL;
--> statement-breakpoint
CREATE TABLE "_signature_type_params" (
	"signature_id" bigint NOT NULL,
	"position" bigint NOT NULL,
	"has_copy" boolean NOT NULL,
	"has_drop" boolean NOT NULL,
	"has_store" boolean NOT NULL,
	"has_key" boolean NOT NULL,
	CONSTRAINT "_signature_type_params_signature_id_position_pk" PRIMARY KEY("signature_id","position")
);
--> statement-breakpoint
INSERT INTO "_signature_type_params" SELECT DISTINCT f.signature_id, p.position, p.has_copy, p.has_drop, p.has_store, p.has_key
	FROM _functions f JOIN _function_type_params p ON p.function_id = f.id;
--> statement-breakpoint
ALTER TABLE "_signature_type_params" ADD CONSTRAINT "_signature_type_params_signature_id__signatures_id_fk" FOREIGN KEY ("signature_id") REFERENCES "_signatures"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
DROP TABLE "_function_type_params" CASCADE;
--> statement-breakpoint
ALTER TABLE "_functions" DROP COLUMN "signature" CASCADE;
--> statement-breakpoint
-- Whether two ABIs have the same parts is seen by decoding both again.
ALTER TABLE "_functions" DROP COLUMN "digest" CASCADE;
--> statement-breakpoint
ALTER TABLE "_structs" DROP COLUMN "digest" CASCADE;
--> statement-breakpoint
ALTER TABLE "_abis" DROP COLUMN "digest" CASCADE;
--> statement-breakpoint
-- Of ABIs, only those of one module are compared by what a node prints: most modules have one, which needs no digest.
ALTER TABLE "_abis" ADD COLUMN "face" bigint;
--> statement-breakpoint
UPDATE "_abis" t SET face = r.face FROM (SELECT id, dense_rank() OVER (PARTITION BY module_id ORDER BY face_digest) - 1 AS face FROM "_abis") r WHERE r.id = t.id;
--> statement-breakpoint
ALTER TABLE "_abis" ALTER COLUMN "face" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "_abis" DROP COLUMN "face_digest" CASCADE;
--> statement-breakpoint
ALTER TABLE "_functions" ADD CONSTRAINT "_functions_signature_id__signatures_id_fk" FOREIGN KEY ("signature_id") REFERENCES "_signatures"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
DROP INDEX IF EXISTS "functions_by_module_id";
--> statement-breakpoint
DROP INDEX IF EXISTS "structs_by_module_id";
--> statement-breakpoint
-- Tables took other names, and their constraints and sequences kept theirs. They get those of drizzle-kit's snapshot, by which it drops one.
DO $$ DECLARE renaming text; BEGIN
  FOR renaming IN
    SELECT format('ALTER TABLE %I RENAME CONSTRAINT %I TO %I', t.relname, k.conname, left(t.relname || CASE
        WHEN k.conname ~ '_pkey$' THEN '_pkey' WHEN k.contype = 'p' THEN '_' || own.names || '_pk'
        ELSE '_' || own.names || '_' || f.relname || '_' || others.names || '_fk' END, 63))
      FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid LEFT JOIN pg_class f ON f.oid = k.confrelid
      CROSS JOIN LATERAL (SELECT string_agg(a.attname, '_' ORDER BY c.place) AS names FROM unnest(k.conkey) WITH ORDINALITY c (num, place)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = c.num) own
      CROSS JOIN LATERAL (SELECT string_agg(a.attname, '_' ORDER BY c.place) AS names FROM unnest(k.confkey) WITH ORDINALITY c (num, place)
        JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = c.num) others
      WHERE t.relnamespace = to_regnamespace(current_schema()) AND k.contype IN ('p', 'f') AND k.conname !~ '^_' AND t.relname IN (
        '_account_probes', '_account_spans', '_addresses', '_all_findings', '_all_gaps', '_all_snapshots', '_archive', '_backfill_points', '_builds',
        '_bytecode_blobs', '_bytecodes', '_deliveries', '_head_samples', '_judgements', '_listing_modules', '_listing_spans', '_listings',
        '_module_probes', '_modules', '_runs', '_source_snapshots', '_sources', '_targets', '_visits', '_watches')
    UNION ALL SELECT format('ALTER SEQUENCE %I RENAME TO %I', s.relname, t.relname || '_' || a.attname || '_seq')
      FROM pg_class s JOIN pg_depend d ON d.objid = s.oid AND d.deptype = 'i' JOIN pg_class t ON t.oid = d.refobjid
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
      WHERE s.relkind = 'S' AND s.relnamespace = to_regnamespace(current_schema()) AND s.relname !~ '^_' AND t.relname LIKE '\_%'
  LOOP EXECUTE renaming; END LOOP;
END $$;
--> statement-breakpoint
-- How often types are named is counted when the database is opened to write.
CREATE TABLE "_type_counts" (
	"type_id" bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY (sequence name "_type_counts_type_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"params" bigint NOT NULL,
	"returns" bigint NOT NULL,
	"fields" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "_type_counts" ADD CONSTRAINT "_type_counts_type_id__types_id_fk" FOREIGN KEY ("type_id") REFERENCES "_types"("id") ON DELETE no action ON UPDATE no action;
