ALTER TABLE "identifications" ADD COLUMN "email_hash" "bytea";--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "name_hash" "bytea";--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "concluded_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "legal_hold" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "erased_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "email_hash" "bytea";--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "name_hash" "bytea";--> statement-breakpoint
CREATE INDEX "identifications_email" ON "identifications" USING btree ("email_hash");--> statement-breakpoint
CREATE INDEX "identifications_name" ON "identifications" USING btree ("name_hash");--> statement-breakpoint
CREATE INDEX "identifications_concluded" ON "identifications" USING btree ("concluded_at") WHERE erased_at IS NULL;--> statement-breakpoint
CREATE INDEX "kyb_applications_email" ON "kyb_applications" USING btree ("email_hash");--> statement-breakpoint
CREATE INDEX "kyb_applications_name" ON "kyb_applications" USING btree ("name_hash");