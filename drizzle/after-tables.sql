--> statement-breakpoint
-- Each change of webhook_logs adds rows to webhook_log_counts: one for each group that became larger or smaller.
CREATE FUNCTION count_inserted_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta)
  SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date, count(*) FROM new_logs GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_deleted_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta)
  SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date, -count(*) FROM old_logs GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- An update that moves no log from one group to another writes nothing.
CREATE FUNCTION count_updated_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
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
-- Notifies every API process of changed access, whichever process or statement changed it.
CREATE FUNCTION notify_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('access', '');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER api_keys_access AFTER DELETE OR UPDATE OF revoked_at, roles, expires_at ON api_keys
FOR EACH STATEMENT EXECUTE FUNCTION notify_access();
--> statement-breakpoint
CREATE TRIGGER users_access AFTER DELETE OR UPDATE OF token_version ON users
FOR EACH STATEMENT EXECUTE FUNCTION notify_access();
