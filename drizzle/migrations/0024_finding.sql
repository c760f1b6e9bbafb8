CREATE TABLE "published_events" (
	"vault_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"content_hash" "bytea" NOT NULL,
	"webhook_log_id" uuid,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "published_events_vault_id_event_id_pk" PRIMARY KEY("vault_id","event_id")
);
--> statement-breakpoint
CREATE INDEX "published_events_oldest" ON "published_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "holds_cases" ON "holds" USING btree ("opened_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE owner IN ('operator_operations', 'transaction_monitoring');--> statement-breakpoint
CREATE INDEX CONCURRENTLY "holds_cases_unlifted" ON "holds" USING btree ("opened_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE owner IN ('operator_operations', 'transaction_monitoring') AND lifted_at IS NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_status" ON "kyb_applications" USING btree ("vault_id","status","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_completed" ON "kyb_applications" USING btree ("vault_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE completed;