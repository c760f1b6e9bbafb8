-- Tells every API process that somebody's access has changed, whoever changed it and by whatever statement.
CREATE FUNCTION tell_of_callers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('callers', '');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER api_keys_revoked AFTER DELETE OR UPDATE OF revoked_at, roles, expires_at ON api_keys
FOR EACH STATEMENT EXECUTE FUNCTION tell_of_callers();
--> statement-breakpoint
CREATE TRIGGER users_revoked AFTER DELETE OR UPDATE OF token_version ON users
FOR EACH STATEMENT EXECUTE FUNCTION tell_of_callers();
