ALTER TABLE "_judged_changes" RENAME TO "_judged_upgrades";--> statement-breakpoint
ALTER TABLE "_judged_upgrades" RENAME CONSTRAINT "_judged_changes_from_id_to_id_pk" TO "_judged_upgrades_from_id_to_id_pk";--> statement-breakpoint
ALTER TABLE "_judged_upgrades" RENAME CONSTRAINT "_judged_changes_from_id__bytecodes_id_fk" TO "_judged_upgrades_from_id__bytecodes_id_fk";--> statement-breakpoint
ALTER TABLE "_judged_upgrades" RENAME CONSTRAINT "_judged_changes_to_id__bytecodes_id_fk" TO "_judged_upgrades_to_id__bytecodes_id_fk";
