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
ALTER TABLE "webhook_attempts" DROP CONSTRAINT "webhook_attempts_webhook_log_id_webhook_logs_id_fk";
--> statement-breakpoint
DROP INDEX "webhook_logs_unclaimed";--> statement-breakpoint
DROP INDEX "webhook_logs_newest";--> statement-breakpoint
DROP INDEX "webhook_logs_unfinished";--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payments_account" ON "payments" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_logs_newest" ON "webhook_logs" USING btree ("vault_id","event","status","id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "webhook_logs_unfinished" ON "webhook_logs" USING btree ("status","id") WHERE status IN ('pending', 'processing');