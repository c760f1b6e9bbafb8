ALTER TABLE "screening_hits" DROP CONSTRAINT "screening_hits_entry";--> statement-breakpoint
ALTER TABLE "kept_values" ADD COLUMN "lookup_hash" "bytea";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kept_values_lookup" ON "kept_values" USING btree ("lookup_hash") WHERE lookup_hash IS NOT NULL;