ALTER TABLE `_judged_changes` RENAME TO `_judged_upgrades`;
