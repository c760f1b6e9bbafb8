ALTER TABLE "identifications" DROP CONSTRAINT "identifications_external_uuid";--> statement-breakpoint
ALTER TABLE "kyb_applications" DROP CONSTRAINT "kyb_applications_external_id";--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "assigned_to" text;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "assigned_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "assigned_to" text;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "assigned_until" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "holds_identification" ON "holds" USING btree ("identification_id","opened_at");--> statement-breakpoint
CREATE INDEX "identifications_waiting_status" ON "identifications" USING btree ("waiting_on","status","waiting_since") WHERE waiting_on <> 'nobody';--> statement-breakpoint
CREATE INDEX "identifications_waiting_vault" ON "identifications" USING btree ("vault_id","waiting_on","waiting_since") WHERE waiting_on <> 'nobody';--> statement-breakpoint
CREATE INDEX "identifications_assigned" ON "identifications" USING btree ("assigned_to","assigned_until") WHERE assigned_to IS NOT NULL;--> statement-breakpoint
CREATE INDEX "kyb_applications_waiting_vault" ON "kyb_applications" USING btree ("vault_id","waiting_on","waiting_since") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX "kyb_applications_assigned" ON "kyb_applications" USING btree ("assigned_to","assigned_until") WHERE assigned_to IS NOT NULL;--> statement-breakpoint
ALTER TABLE "identifications" ADD CONSTRAINT "identifications_external_uuid" UNIQUE("external_uuid","vault_id");--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD CONSTRAINT "kyb_applications_external_id" UNIQUE("external_id","vault_id");