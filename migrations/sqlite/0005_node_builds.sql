CREATE TABLE `builds` (
	`node` text NOT NULL,
	`git_hash` text NOT NULL,
	`build` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`node`, `git_hash`, `build`)
) STRICT, WITHOUT ROWID;
