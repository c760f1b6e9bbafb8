ALTER TABLE "webhook_attempts" DROP CONSTRAINT "webhook_attempts_webhook_log_id_webhook_logs_id_fk";
--> statement-breakpoint
DROP INDEX "webhook_logs_unclaimed";--> statement-breakpoint
DROP INDEX "webhook_logs_newest";--> statement-breakpoint
DROP INDEX "webhook_logs_unfinished";--> statement-breakpoint
CREATE INDEX "webhook_logs_newest" ON "webhook_logs" USING btree ("vault_id","event","status","id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "webhook_logs_unfinished" ON "webhook_logs" USING btree ("status","id") WHERE status IN ('pending', 'processing');