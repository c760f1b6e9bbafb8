-- What the column holds is a topic. Indexes follow the new name by themselves; functions do not.
-- The logs first, as whoever writes them: their triggers write the counts.
ALTER TABLE "webhook_logs" RENAME COLUMN "event" TO "topic";--> statement-breakpoint
ALTER TABLE "webhook_log_counts" RENAME COLUMN "event" TO "topic";--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_inserted_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, topic, status, delta)
  SELECT vault_id, topic, status, count(*) FROM new_logs GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_deleted_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, topic, status, delta)
  SELECT vault_id, topic, status, -count(*) FROM old_logs GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_updated_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, topic, status, delta)
  SELECT vault_id, topic, status, sum(delta)
  FROM (
    SELECT vault_id, topic, status, count(*) AS delta FROM new_logs GROUP BY 1, 2, 3
    UNION ALL
    SELECT vault_id, topic, status, -count(*) FROM old_logs GROUP BY 1, 2, 3
  ) AS moved
  GROUP BY 1, 2, 3
  HAVING sum(delta) <> 0;
  RETURN NULL;
END $$;
