ALTER TABLE "identifications" ADD COLUMN "updated_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "updated_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "identifications" ALTER COLUMN "updated_at" SET DEFAULT clock_timestamp();--> statement-breakpoint
ALTER TABLE "kyb_applications" ALTER COLUMN "updated_at" SET DEFAULT clock_timestamp();--> statement-breakpoint
CREATE INDEX CONCURRENTLY "identifications_status" ON "identifications" USING btree ("vault_id","status","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE origin <> 'beneficiary';--> statement-breakpoint
CREATE INDEX CONCURRENTLY "identifications_updated" ON "identifications" USING btree ("vault_id","updated_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE origin <> 'beneficiary';--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_waiting_newest" ON "kyb_applications" USING btree ("vault_id","waiting_on","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE status = 'open';--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_reviewed" ON "kyb_applications" USING btree ("vault_id","review_outcome","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE review_outcome IS NOT NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_updated" ON "kyb_applications" USING btree ("vault_id","updated_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);