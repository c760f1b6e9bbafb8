-- For the search in webhook logs. A database's owner may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
