ALTER TABLE "files" ADD COLUMN "vault_id" uuid;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "files_vault" ON "files" USING btree ("vault_id","size_bytes");