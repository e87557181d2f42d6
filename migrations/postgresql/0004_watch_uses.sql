CREATE TABLE "_watch_uses" (
	"watch_id" bigint NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	CONSTRAINT "_watch_uses_watch_id_kind_position_pk" PRIMARY KEY("watch_id","kind","position")
);
--> statement-breakpoint
INSERT INTO "_watch_uses" SELECT w.id, k.kind, u.place - 1, u.name FROM "_watches" w
	CROSS JOIN (VALUES ('own', 'own'), ('module', 'modules'), ('function', 'functions'), ('struct', 'structs')) k(kind, list),
	json_array_elements_text(w.uses -> k.list) WITH ORDINALITY u(name, place);
--> statement-breakpoint
ALTER TABLE "_watches" ALTER COLUMN "uses" SET DATA TYPE boolean USING uses IS NOT NULL;
--> statement-breakpoint
ALTER TABLE "_watches" ALTER COLUMN "uses" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "_watches" RENAME COLUMN "uses" TO "is_mine";
--> statement-breakpoint
ALTER TABLE "_watch_uses" ADD CONSTRAINT "_watch_uses_watch_id__watches_id_fk" FOREIGN KEY ("watch_id") REFERENCES "_watches"("id") ON DELETE no action ON UPDATE no action;
