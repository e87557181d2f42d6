CREATE TABLE `__new__function_attribute_args` (
	`function_id` integer NOT NULL,
	`attribute` integer NOT NULL,
	`position` integer NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`function_id`, `attribute`, `position`),
	FOREIGN KEY (`function_id`) REFERENCES `_functions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`function_id`,`attribute`) REFERENCES `_function_attributes`(`function_id`,`position`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new__function_attribute_args`("function_id", "attribute", "position", "value") SELECT "function_id", "attribute", "position", "value" FROM `_function_attribute_args`;
--> statement-breakpoint
DROP TABLE `_function_attribute_args`;
--> statement-breakpoint
ALTER TABLE `__new__function_attribute_args` RENAME TO `_function_attribute_args`;
--> statement-breakpoint
CREATE TABLE `__new__struct_fields` (
	`struct_id` integer NOT NULL,
	`place` integer NOT NULL,
	`variant` integer,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	`type_id` integer NOT NULL,
	PRIMARY KEY(`struct_id`, `place`),
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `_types`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`struct_id`,`variant`) REFERENCES `_struct_variants`(`struct_id`,`position`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new__struct_fields`("struct_id", "place", "variant", "position", "name", "type_id") SELECT "struct_id", "place", "variant", "position", "name", "type_id" FROM `_struct_fields`;
--> statement-breakpoint
DROP TABLE `_struct_fields`;
--> statement-breakpoint
ALTER TABLE `__new__struct_fields` RENAME TO `_struct_fields`;
--> statement-breakpoint
CREATE INDEX `struct_fields_by_type_id` ON `_struct_fields` (`type_id`);
--> statement-breakpoint
CREATE INDEX `struct_fields_by_name` ON `_struct_fields` (`name`);
--> statement-breakpoint
CREATE TABLE `__new__struct_attribute_args` (
	`struct_id` integer NOT NULL,
	`attribute` integer NOT NULL,
	`position` integer NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`struct_id`, `attribute`, `position`),
	FOREIGN KEY (`struct_id`) REFERENCES `_structs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`struct_id`,`attribute`) REFERENCES `_struct_attributes`(`struct_id`,`position`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new__struct_attribute_args`("struct_id", "attribute", "position", "value") SELECT "struct_id", "attribute", "position", "value" FROM `_struct_attribute_args`;
--> statement-breakpoint
DROP TABLE `_struct_attribute_args`;
--> statement-breakpoint
ALTER TABLE `__new__struct_attribute_args` RENAME TO `_struct_attribute_args`;
--> statement-breakpoint
CREATE TABLE `__new__judged_renames` (
	`from_id` integer NOT NULL,
	`to_id` integer NOT NULL,
	`item_kind` text NOT NULL,
	`from_name` text NOT NULL,
	`to_name` text NOT NULL,
	PRIMARY KEY(`from_id`, `to_id`, `item_kind`, `from_name`),
	FOREIGN KEY (`from_id`) REFERENCES `_bytecodes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_id`) REFERENCES `_bytecodes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`from_id`,`to_id`) REFERENCES `_judged_upgrades`(`from_id`,`to_id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new__judged_renames`("from_id", "to_id", "item_kind", "from_name", "to_name") SELECT "from_id", "to_id", "item_kind", "from_name", "to_name" FROM `_judged_renames`;
--> statement-breakpoint
DROP TABLE `_judged_renames`;
--> statement-breakpoint
ALTER TABLE `__new__judged_renames` RENAME TO `_judged_renames`;
--> statement-breakpoint
CREATE TABLE `__new__judgement_finding_calls` (
	`judgement_id` integer NOT NULL,
	`finding` integer NOT NULL,
	`position` integer NOT NULL,
	`function` text NOT NULL,
	PRIMARY KEY(`judgement_id`, `finding`, `position`),
	FOREIGN KEY (`judgement_id`) REFERENCES `_judgements`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`judgement_id`,`finding`) REFERENCES `_judgement_findings`(`judgement_id`,`position`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new__judgement_finding_calls`("judgement_id", "finding", "position", "function") SELECT "judgement_id", "finding", "position", "function" FROM `_judgement_finding_calls`;
--> statement-breakpoint
DROP TABLE `_judgement_finding_calls`;
--> statement-breakpoint
ALTER TABLE `__new__judgement_finding_calls` RENAME TO `_judgement_finding_calls`;
