ALTER TABLE "identifications" ADD COLUMN "beneficiary_id" uuid;--> statement-breakpoint
ALTER TABLE "beneficiaries" ADD COLUMN "check_id" uuid;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "identifications_beneficiary" ON "identifications" USING btree ("beneficiary_id") WHERE beneficiary_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "beneficiaries_check" ON "beneficiaries" USING btree ("check_id") WHERE check_id IS NOT NULL;