CREATE TABLE "task_runs" (
	"task" text PRIMARY KEY NOT NULL,
	"succeeded_at" timestamp with time zone NOT NULL
);
