ALTER TABLE "api_keys" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "password_one_time" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "token_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "otp_secret" "bytea";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "otp_pending_secret" "bytea";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "otp_used_step" integer;