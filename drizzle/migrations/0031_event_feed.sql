CREATE TABLE "event_feeds" (
	"vault_id" uuid PRIMARY KEY NOT NULL,
	"last_position" bigint DEFAULT 0 NOT NULL,
	"deleted_through" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "feed_events" (
	"webhook_log_id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"topic" text NOT NULL,
	"ticket" bigserial NOT NULL,
	"position" bigint
);
--> statement-breakpoint
CREATE INDEX "feed_events_position" ON "feed_events" USING btree ("vault_id","position","ticket");--> statement-breakpoint
CREATE INDEX "feed_events_topic" ON "feed_events" USING btree ("vault_id","topic","position") WHERE position IS NOT NULL;--> statement-breakpoint
-- Has the rights of the owner, because processes of the previous version write logs before the service role may write
-- to the table.
CREATE FUNCTION feed_inserted_webhook_logs() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO public.feed_events (webhook_log_id, vault_id, topic)
  SELECT id, vault_id, coalesce(event_topic, topic) FROM new_logs ORDER BY id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER webhook_logs_fed AFTER INSERT ON webhook_logs
  REFERENCING NEW TABLE AS new_logs FOR EACH STATEMENT EXECUTE FUNCTION feed_inserted_webhook_logs();
