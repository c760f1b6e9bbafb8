CREATE TABLE "webhook_log_counts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"event" text NOT NULL,
	"status" text NOT NULL,
	"delta" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD COLUMN "indexed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_settings" ADD COLUMN "previous_secret" "bytea";--> statement-breakpoint
ALTER TABLE "webhook_settings" ADD COLUMN "previous_secret_expires_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "webhook_log_counts_group" ON "webhook_log_counts" USING btree ("vault_id","event","status");--> statement-breakpoint
CREATE INDEX "webhook_logs_search" ON "webhook_logs" USING gin ("payload" gin_trgm_ops) WHERE indexed;--> statement-breakpoint
CREATE INDEX "webhook_logs_unindexed" ON "webhook_logs" USING btree ("vault_id","event","status","id") WHERE NOT indexed AND status IN ('completed', 'partial', 'failed');