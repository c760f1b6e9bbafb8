CREATE TABLE "idempotency_keys" (
	"scope" text PRIMARY KEY NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"effect_id" uuid NOT NULL,
	"run" integer DEFAULT 1 NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"answer" "bytea",
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"direction" text NOT NULL,
	"amount" numeric NOT NULL,
	"currency" text NOT NULL,
	"status" text NOT NULL,
	"reason_code" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_log_counts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"event" text NOT NULL,
	"status" text NOT NULL,
	"delta" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhook_attempts" DROP CONSTRAINT "webhook_attempts_webhook_log_id_webhook_logs_id_fk";
--> statement-breakpoint
DROP INDEX "webhook_logs_unclaimed";--> statement-breakpoint
DROP INDEX "webhook_logs_newest";--> statement-breakpoint
DROP INDEX "webhook_logs_unfinished";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "email_hash" "bytea";--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "name_hash" "bytea";--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "concluded_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "legal_hold" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "erased_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "email_hash" "bytea";--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "name_hash" "bytea";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "password_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "token_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "otp_secret" "bytea";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "otp_pending_secret" "bytea";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "otp_used_step" integer;--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD COLUMN "indexed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_settings" ADD COLUMN "previous_secret" "bytea";--> statement-breakpoint
ALTER TABLE "webhook_settings" ADD COLUMN "previous_secret_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotency_keys_oldest" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "payments_account" ON "payments" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_log_counts_group" ON "webhook_log_counts" USING btree ("vault_id","event","status");--> statement-breakpoint
CREATE INDEX "identifications_email" ON "identifications" USING btree ("email_hash");--> statement-breakpoint
CREATE INDEX "identifications_name" ON "identifications" USING btree ("name_hash");--> statement-breakpoint
CREATE INDEX "identifications_concluded" ON "identifications" USING btree ("concluded_at") WHERE erased_at IS NULL;--> statement-breakpoint
CREATE INDEX "kyb_applications_email" ON "kyb_applications" USING btree ("email_hash");--> statement-breakpoint
CREATE INDEX "kyb_applications_name" ON "kyb_applications" USING btree ("name_hash");--> statement-breakpoint
CREATE INDEX "webhook_logs_search" ON "webhook_logs" USING gin ("payload" gin_trgm_ops) WHERE indexed;--> statement-breakpoint
CREATE INDEX "webhook_logs_unindexed" ON "webhook_logs" USING btree ("vault_id","event","status","id") WHERE NOT indexed AND status IN ('completed', 'partial', 'failed');--> statement-breakpoint
CREATE INDEX "webhook_logs_newest" ON "webhook_logs" USING btree ("vault_id","event","status","id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "webhook_logs_unfinished" ON "webhook_logs" USING btree ("status","round","id") WHERE status IN ('pending', 'processing');