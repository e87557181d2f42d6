ALTER TABLE "_function_attribute_args" ADD CONSTRAINT "_function_attribute_args__function_attributes_fk" FOREIGN KEY ("function_id","attribute") REFERENCES "_function_attributes"("function_id","position") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "_struct_fields" ADD CONSTRAINT "_struct_fields__struct_variants_fk" FOREIGN KEY ("struct_id","variant") REFERENCES "_struct_variants"("struct_id","position") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "_struct_attribute_args" ADD CONSTRAINT "_struct_attribute_args__struct_attributes_fk" FOREIGN KEY ("struct_id","attribute") REFERENCES "_struct_attributes"("struct_id","position") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "_judged_renames" ADD CONSTRAINT "_judged_renames__judged_upgrades_fk" FOREIGN KEY ("from_id","to_id") REFERENCES "_judged_upgrades"("from_id","to_id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "_judgement_finding_calls" ADD CONSTRAINT "_judgement_finding_calls__judgement_findings_fk" FOREIGN KEY ("judgement_id","finding") REFERENCES "_judgement_findings"("judgement_id","position") ON DELETE no action ON UPDATE no action;
