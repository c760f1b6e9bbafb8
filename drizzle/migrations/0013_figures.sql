-- Counts of webhook logs are by day. The logs first, as whoever writes them: their triggers write the counts.
LOCK TABLE "webhook_logs" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
TRUNCATE "webhook_log_counts";--> statement-breakpoint
ALTER TABLE "webhook_log_counts" ADD COLUMN "day" date NOT NULL;--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_inserted_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta)
  SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date, count(*) FROM new_logs GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_deleted_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta)
  SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date, -count(*) FROM old_logs GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_updated_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta)
  SELECT vault_id, topic, status, day, sum(delta)
  FROM (
    SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS delta
    FROM new_logs GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date, -count(*) FROM old_logs GROUP BY 1, 2, 3, 4
  ) AS moved
  GROUP BY 1, 2, 3, 4
  HAVING sum(delta) <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta)
SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date, count(*) FROM webhook_logs GROUP BY 1, 2, 3, 4;--> statement-breakpoint
CREATE INDEX "timeline_decisions" ON "timeline" USING btree ("created_at","vault_id","entity","action","to","reason_code","entity_id") WHERE reason_code IS NOT NULL OR action = 'check_finished';--> statement-breakpoint
CREATE INDEX "identifications_figures" ON "identifications" USING btree ("created_at","vault_id","verification","waiting_on","id") WHERE origin IN ('soft_kyc', 'hosted');--> statement-breakpoint
CREATE INDEX "kyb_applications_figures" ON "kyb_applications" USING btree ("created_at","vault_id","status","waiting_on","review_outcome","id");