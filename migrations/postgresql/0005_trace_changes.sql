CREATE TABLE "_trace_changes" (
	"trace" text COLLATE "C" NOT NULL,
	"group_position" bigint NOT NULL,
	"position" bigint NOT NULL,
	"module" text COLLATE "C",
	"after_version" bigint NOT NULL,
	"at_or_before_version" bigint NOT NULL,
	"from_value" text COLLATE "C",
	"to_value" text COLLATE "C",
	"probes" bigint NOT NULL,
	"least" bigint NOT NULL,
	"state" text COLLATE "C",
	"reason" text COLLATE "C",
	CONSTRAINT "_trace_changes_trace_group_position_position_pk" PRIMARY KEY("trace","group_position","position")
);
--> statement-breakpoint
DELETE FROM "_trace_groups";
--> statement-breakpoint
DELETE FROM "_traces";
--> statement-breakpoint
DELETE FROM "_leases" WHERE "name" LIKE 'trace:%';
--> statement-breakpoint
ALTER TABLE "_trace_changes" ADD CONSTRAINT "_trace_changes_trace__traces_id_fk" FOREIGN KEY ("trace") REFERENCES "_traces"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "_trace_changes" ADD CONSTRAINT "_trace_changes__trace_groups_fk" FOREIGN KEY ("trace","group_position") REFERENCES "_trace_groups"("trace","position") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "_trace_groups" DROP COLUMN "modules";
--> statement-breakpoint
ALTER TABLE "_trace_groups" DROP COLUMN "outcome";
