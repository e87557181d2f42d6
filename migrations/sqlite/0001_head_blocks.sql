ALTER TABLE `pins` ADD `head_epoch` text;--> statement-breakpoint
ALTER TABLE `pins` ADD `head_block_height` text;