CREATE TABLE "kept_values" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"identification_id" uuid NOT NULL,
	"path" text NOT NULL,
	"is_file" boolean NOT NULL,
	"value" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "page_sessions" ADD COLUMN "scope" text DEFAULT 'everything' NOT NULL;--> statement-breakpoint
ALTER TABLE "page_sessions" ADD COLUMN "opened_from_hash" "bytea";--> statement-breakpoint
ALTER TABLE "page_sessions" ADD COLUMN "handed_over_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "kept_values_entity" ON "kept_values" USING btree ("entity_id","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "verification_checks_vault" ON "verification_checks" USING btree ("vault_id","created_at");