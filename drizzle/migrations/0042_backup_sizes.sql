ALTER TABLE "task_runs" ADD COLUMN "bytes" bigint;--> statement-breakpoint
ALTER TABLE "task_runs" ADD COLUMN "free_bytes" bigint;