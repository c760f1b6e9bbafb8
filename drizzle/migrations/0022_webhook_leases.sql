CREATE TABLE "webhook_leases" (
	"id" uuid PRIMARY KEY NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD COLUMN "lease_id" uuid;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_logs_unfinished_of_vault" ON "webhook_logs" USING btree ("status","vault_id","round","id") WHERE status IN ('pending', 'processing');--> statement-breakpoint
DROP INDEX CONCURRENTLY "webhook_logs_unfinished";