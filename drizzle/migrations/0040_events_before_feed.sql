-- Adds the events from before the feed existed, which come first in the order of their creation. No reader may give
-- positions meanwhile. Vaults whose readers already have cursors keep their feed as it is.
LOCK TABLE event_feeds IN SHARE MODE;--> statement-breakpoint
INSERT INTO feed_events (webhook_log_id, vault_id, topic, ticket)
SELECT id, vault_id, coalesce(event_topic, topic),
  row_number() OVER (ORDER BY created_at, id) - count(*) OVER () - 1
FROM webhook_logs AS log
WHERE part_of IS NULL
  AND NOT EXISTS (SELECT FROM feed_events WHERE webhook_log_id = log.id)
  AND NOT EXISTS (SELECT FROM event_feeds AS feed WHERE feed.vault_id = log.vault_id AND last_position > 0);
