ALTER TABLE "_function_attribute_args" ADD CONSTRAINT "_function_attribute_args__function_attributes_fk" FOREIGN KEY ("function_id","attribute") REFERENCES "_function_attributes"("function_id","position") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "_struct_fields" ADD CONSTRAINT "_struct_fields__struct_variants_fk" FOREIGN KEY ("struct_id","variant") REFERENCES "_struct_variants"("struct_id","position") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "_struct_attribute_args" ADD CONSTRAINT "_struct_attribute_args__struct_attributes_fk" FOREIGN KEY ("struct_id","attribute") REFERENCES "_struct_attributes"("struct_id","position") ON DELETE no action ON UPDATE no action;
