CREATE TABLE "_judgement_findings" (
	"judgement_id" bigint NOT NULL,
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
	"own_use" text COLLATE "C",
	CONSTRAINT "_judgement_findings_judgement_id_position_pk" PRIMARY KEY("judgement_id","position")
);
--> statement-breakpoint
CREATE TABLE "_judgement_finding_calls" (
	"judgement_id" bigint NOT NULL,
	"finding" bigint NOT NULL,
	"position" bigint NOT NULL,
	"function" text COLLATE "C" NOT NULL,
	CONSTRAINT "_judgement_finding_calls_judgement_id_finding_position_pk" PRIMARY KEY("judgement_id","finding","position")
);
--> statement-breakpoint
CREATE TABLE "_judgement_renames" (
	"judgement_id" bigint NOT NULL,
	"position" bigint NOT NULL,
	"item_kind" text COLLATE "C" NOT NULL,
	"from_name" text COLLATE "C" NOT NULL,
	"to_name" text COLLATE "C" NOT NULL,
	CONSTRAINT "_judgement_renames_judgement_id_position_pk" PRIMARY KEY("judgement_id","position")
);
--> statement-breakpoint
UPDATE "_judgements" SET "findings" = CAST(regexp_replace(CAST(findings AS text), '(?<!\\)\\u(d[89a-f][0-9a-f]{2}|0000)', '\\ufffd', 'g') AS json)
	WHERE CAST(findings AS text) ~ '\\u(d[89a-f][0-9a-f]{2}|0000)';
--> statement-breakpoint
INSERT INTO "_judgement_findings" SELECT j.id, f.place - 1, f.item ->> 'rule', f.item ->> 'item_kind', f.item ->> 'item', f.item ->> 'worst',
	f.item -> 'severity' ->> 'callers', f.item -> 'severity' ->> 'clients', f.item -> 'severity' ->> 'readers', f.item ->> 'upgrade', f.item ->> 'before',
	f.item ->> 'after', f.item ->> 'use' FROM "_judgements" j, json_array_elements(j.findings -> 'findings') WITH ORDINALITY f(item, place);
--> statement-breakpoint
INSERT INTO "_judgement_finding_calls" SELECT j.id, f.place - 1, c.place - 1, c.name
	FROM "_judgements" j, json_array_elements(j.findings -> 'findings') WITH ORDINALITY f(item, place),
	json_array_elements_text(f.item -> 'chain') WITH ORDINALITY c(name, place);
--> statement-breakpoint
INSERT INTO "_judgement_renames" SELECT j.id, r.place - 1, r.item ->> 'item_kind', r.item ->> 'from_name', r.item ->> 'to_name'
	FROM "_judgements" j, json_array_elements(j.findings -> 'renamed') WITH ORDINALITY r(item, place);
--> statement-breakpoint
ALTER TABLE "_judgements" ADD COLUMN "reason" text COLLATE "C";
--> statement-breakpoint
UPDATE "_judgements" SET "reason" = findings ->> 'reason' WHERE findings ->> 'reason' IS NOT NULL;
--> statement-breakpoint
ALTER TABLE "_judgements" ALTER COLUMN "findings" SET DATA TYPE bigint USING CAST(findings ->> 'total' AS bigint);
--> statement-breakpoint
ALTER TABLE "_judgements" RENAME COLUMN "findings" TO "finding_count";
--> statement-breakpoint
DROP INDEX "judgements_by_watch_id_address_id_name";
--> statement-breakpoint
ALTER TABLE "_judgement_findings" ADD CONSTRAINT "_judgement_findings_judgement_id__judgements_id_fk" FOREIGN KEY ("judgement_id") REFERENCES "_judgements"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "_judgement_finding_calls" ADD CONSTRAINT "_judgement_finding_calls_judgement_id__judgements_id_fk" FOREIGN KEY ("judgement_id") REFERENCES "_judgements"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "_judgement_renames" ADD CONSTRAINT "_judgement_renames_judgement_id__judgements_id_fk" FOREIGN KEY ("judgement_id") REFERENCES "_judgements"("id") ON DELETE no action ON UPDATE no action;
