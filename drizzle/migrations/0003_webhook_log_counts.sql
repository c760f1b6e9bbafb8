-- Counts follow every change of webhook_logs, whoever makes it: a row for each group that became larger or smaller.
CREATE FUNCTION count_inserted_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, event, status, delta)
  SELECT vault_id, event, status, count(*) FROM new_logs GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_deleted_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, event, status, delta)
  SELECT vault_id, event, status, -count(*) FROM old_logs GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- An update that moves no log from one group to another writes nothing.
CREATE FUNCTION count_updated_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, event, status, delta)
  SELECT vault_id, event, status, sum(delta)
  FROM (
    SELECT vault_id, event, status, count(*) AS delta FROM new_logs GROUP BY 1, 2, 3
    UNION ALL
    SELECT vault_id, event, status, -count(*) FROM old_logs GROUP BY 1, 2, 3
  ) AS moved
  GROUP BY 1, 2, 3
  HAVING sum(delta) <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER webhook_logs_inserted AFTER INSERT ON webhook_logs
  REFERENCING NEW TABLE AS new_logs FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_webhook_logs();
--> statement-breakpoint
CREATE TRIGGER webhook_logs_updated AFTER UPDATE ON webhook_logs
  REFERENCING OLD TABLE AS old_logs NEW TABLE AS new_logs
  FOR EACH STATEMENT EXECUTE FUNCTION count_updated_webhook_logs();
--> statement-breakpoint
CREATE TRIGGER webhook_logs_deleted AFTER DELETE ON webhook_logs
  REFERENCING OLD TABLE AS old_logs FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_webhook_logs();
--> statement-breakpoint
INSERT INTO webhook_log_counts (vault_id, event, status, delta)
SELECT vault_id, event, status, count(*) FROM webhook_logs GROUP BY 1, 2, 3;
