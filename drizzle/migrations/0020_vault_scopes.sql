ALTER TABLE "name_parts" ADD COLUMN "vault_id" uuid;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "timeline_decisions_vault" ON "timeline" USING btree ("vault_id","created_at","entity","action","to","reason_code","entity_id") WHERE reason_code IS NOT NULL OR action = 'check_finished';--> statement-breakpoint
CREATE INDEX CONCURRENTLY "identifications_email_vault" ON "identifications" USING btree ("email_hash","vault_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "identifications_name_vault" ON "identifications" USING btree ("name_hash","vault_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "identifications_person_vault" ON "identifications" USING btree ("person_hash","vault_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_email_vault" ON "kyb_applications" USING btree ("email_hash","vault_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_name_vault" ON "kyb_applications" USING btree ("name_hash","vault_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_registration_vault" ON "kyb_applications" USING btree ("registration_hash","vault_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "name_parts_vault" ON "name_parts" USING btree ("part_hash","vault_id","entity_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "name_parts_without_vault" ON "name_parts" USING btree ("entity_id") WHERE vault_id IS NULL;--> statement-breakpoint
DROP INDEX CONCURRENTLY "identifications_email";--> statement-breakpoint
DROP INDEX CONCURRENTLY "identifications_name";--> statement-breakpoint
DROP INDEX CONCURRENTLY "identifications_person";--> statement-breakpoint
DROP INDEX CONCURRENTLY "kyb_applications_email";--> statement-breakpoint
DROP INDEX CONCURRENTLY "kyb_applications_name";--> statement-breakpoint
DROP INDEX CONCURRENTLY "kyb_applications_registration";
