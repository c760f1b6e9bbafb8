CREATE TABLE "admin_proposals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"proposed_by" text NOT NULL,
	"action" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
