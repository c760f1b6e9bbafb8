ALTER TABLE "emails" ADD COLUMN "beneficiary_id" uuid;--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "lease_id" uuid;--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "due_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "verification_links" ADD COLUMN "language" text;--> statement-breakpoint
ALTER TABLE "beneficiaries" ADD COLUMN "reminders" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "beneficiaries" ADD COLUMN "remind_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "beneficiaries" ADD COLUMN "reminders_declined" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "beneficiaries" ADD COLUMN "language" text;--> statement-breakpoint
ALTER TABLE "webhook_settings" ADD COLUMN "secret_replaced_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "webhook_urls" ADD COLUMN "headers_set" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "beneficiaries_remind" ON "beneficiaries" USING btree ("remind_at") WHERE remind_at IS NOT NULL;