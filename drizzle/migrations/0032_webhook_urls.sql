CREATE TABLE "webhook_urls" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"url" text NOT NULL,
	"name" text,
	"events" text[],
	"header_names" text[] DEFAULT '{}' NOT NULL,
	"headers" "bytea",
	"ca" text,
	"client_certificate" text,
	"client_key" "bytea",
	"max_per_second" integer,
	"paused" boolean DEFAULT false NOT NULL,
	"resumed_at" timestamp with time zone,
	"queued" boolean DEFAULT false NOT NULL,
	"lease_id" uuid,
	"next_at" timestamp with time zone,
	"failing_reported_at" timestamp with time zone,
	"resend_from" timestamp with time zone,
	"resend_before" timestamp with time zone,
	"resend_after_id" uuid,
	"resend_per_second" integer,
	"resend_total" integer,
	"resend_sent" integer,
	"resend_ended_at" timestamp with time zone,
	"resend_stopped" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD COLUMN "retry_after" integer;--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD COLUMN "url_id" uuid;--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD COLUMN "part_of" uuid;--> statement-breakpoint
ALTER TABLE "webhook_settings" ADD COLUMN "options_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_urls" ADD CONSTRAINT "webhook_urls_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_urls_of_vault" ON "webhook_urls" USING btree ("vault_id","url");--> statement-breakpoint
CREATE INDEX "webhook_urls_queued" ON "webhook_urls" USING btree ("id") WHERE queued AND NOT paused;--> statement-breakpoint
CREATE INDEX "webhook_urls_failing" ON "webhook_urls" USING btree ("id") WHERE failing_reported_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_logs_waiting" ON "webhook_logs" USING btree ("url_id","id") WHERE status IN ('waiting');--> statement-breakpoint
-- A part of a log has the event of that log, which the feed contains once.
CREATE OR REPLACE FUNCTION feed_inserted_webhook_logs() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO public.feed_events (webhook_log_id, vault_id, topic)
  SELECT id, vault_id, coalesce(event_topic, topic) FROM new_logs WHERE part_of IS NULL ORDER BY id;
  RETURN NULL;
END $$;
