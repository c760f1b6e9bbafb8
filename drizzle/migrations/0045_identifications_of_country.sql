CREATE INDEX CONCURRENTLY "identifications_of_country" ON "identifications" USING btree ("country_hash","created_at");--> statement-breakpoint
DROP INDEX CONCURRENTLY "identifications_country";