DROP INDEX CONCURRENTLY "beneficiaries_removed";--> statement-breakpoint
ALTER TABLE "webhook_log_counts" ADD COLUMN "folded" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "rate_limits_expire" ON "rate_limits" USING btree ("expire");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "identifications_checked" ON "identifications" USING btree ("id") WHERE waiting_on = 'provider';--> statement-breakpoint
CREATE INDEX CONCURRENTLY "beneficiaries_gone" ON "beneficiaries" USING btree ("id") WHERE removed_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_open" ON "kyb_applications" USING btree ("id") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_log_counts_unfolded" ON "webhook_log_counts" USING btree ("id") WHERE NOT folded;--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "webhook_log_counts_sum" ON "webhook_log_counts" USING btree ("vault_id","topic","status","day") WHERE folded;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_settings_expiring" ON "webhook_settings" USING btree ("previous_secret_expires_at") WHERE previous_secret_expires_at IS NOT NULL;