ALTER TABLE "name_parts" ADD COLUMN "vault_id" uuid;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "name_parts_vault" ON "name_parts" USING btree ("part_hash","vault_id","entity_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "name_parts_without_vault" ON "name_parts" USING btree ("entity_id") WHERE vault_id IS NULL;