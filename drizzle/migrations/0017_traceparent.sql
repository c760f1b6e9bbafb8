ALTER TABLE "vaults" ADD COLUMN "send_traceparent" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "traceparent" text;--> statement-breakpoint
ALTER TABLE "pending_facts" ADD COLUMN "traceparent" text;--> statement-breakpoint
ALTER TABLE "timeline" ADD COLUMN "trace_id" text;--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD COLUMN "traceparent" text;