ALTER TABLE "identifications" ADD COLUMN "country_hash" text;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "risk_hashes" text[];--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "country_hash" text;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "risk_hashes" text[];--> statement-breakpoint
CREATE INDEX CONCURRENTLY "identifications_waiting_country" ON "identifications" USING btree ("waiting_on","country_hash","waiting_since") WHERE waiting_on <> 'nobody';--> statement-breakpoint
CREATE INDEX CONCURRENTLY "identifications_without_filters" ON "identifications" USING btree ("id") WHERE risk_hashes IS NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_waiting_country" ON "kyb_applications" USING btree ("waiting_on","country_hash","waiting_since") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_without_filters" ON "kyb_applications" USING btree ("id") WHERE risk_hashes IS NULL;