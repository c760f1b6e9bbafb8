ALTER TABLE "identifications" ADD COLUMN "person_hash" "bytea";--> statement-breakpoint
ALTER TABLE "beneficiaries" ADD COLUMN "email_hash" "bytea";--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "registration_hash" "bytea";--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "decided_content" "bytea";--> statement-breakpoint
CREATE INDEX "identifications_person" ON "identifications" USING btree ("person_hash");--> statement-breakpoint
CREATE INDEX "beneficiaries_email" ON "beneficiaries" USING btree ("email_hash") WHERE removed_at IS NULL;--> statement-breakpoint
CREATE INDEX "kyb_applications_registration" ON "kyb_applications" USING btree ("registration_hash");