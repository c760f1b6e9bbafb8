-- An older worker reads a payload again only if it repeats a command that was applied, and then waits for a newer one.
-- squawk-ignore ban-drop-not-null
ALTER TABLE "commands" ALTER COLUMN "payload" DROP NOT NULL;
