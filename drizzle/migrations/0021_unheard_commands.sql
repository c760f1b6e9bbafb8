CREATE TABLE "unheard_commands" (
	"id" uuid PRIMARY KEY NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"vault_id" uuid NOT NULL,
	"applied_at" timestamp with time zone NOT NULL
);
