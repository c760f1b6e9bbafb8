CREATE TABLE "webhook_failing_urls" (
	"vault_id" uuid NOT NULL,
	"topic" text NOT NULL,
	"url" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	CONSTRAINT "webhook_failing_urls_vault_id_topic_url_pk" PRIMARY KEY("vault_id","topic","url")
);
--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD COLUMN "due_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "webhook_settings" ADD COLUMN "long_retries" boolean DEFAULT false NOT NULL;