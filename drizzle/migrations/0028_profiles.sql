CREATE TABLE "profiles" (
	"vault_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"document" jsonb NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"published_at" timestamp with time zone,
	"published_by" text,
	"applies_from" timestamp with time zone,
	CONSTRAINT "profiles_vault_id_version_pk" PRIMARY KEY("vault_id","version")
);
--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "profile_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "profiles" ADD CONSTRAINT "profiles_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;