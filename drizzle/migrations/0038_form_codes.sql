ALTER TABLE "verification_links" ADD COLUMN "code_id" uuid;--> statement-breakpoint
ALTER TABLE "verification_links" ADD COLUMN "code_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "verification_links" ADD COLUMN "code_attempts" integer DEFAULT 0 NOT NULL;