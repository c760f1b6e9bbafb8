-- Leaves space for the versions of a row that its claim and its result write, so that claims write no index entries.
ALTER TABLE "webhook_logs" SET (fillfactor = 50);
