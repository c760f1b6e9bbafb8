CREATE INDEX CONCURRENTLY "identifications_applied" ON "identifications" USING btree ("created_at","vault_id","verification","waiting_on","id") WHERE (origin = 'soft_kyc' OR origin = 'hosted' AND kind = 'person');--> statement-breakpoint
DROP INDEX CONCURRENTLY "identifications_figures";
