CREATE TABLE "check_links" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"check_id" uuid NOT NULL,
	"file_id" uuid NOT NULL,
	"opened" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "verification_checks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"identification_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"waiting_since" timestamp with time zone NOT NULL,
	"accepted_at" timestamp with time zone,
	"answered_at" timestamp with time zone,
	"outcome" text,
	"reason_code" text,
	"fields" text[],
	"failure" text,
	"settled_at" timestamp with time zone,
	"task_token" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "verification_checks_wait" UNIQUE("identification_id","waiting_since")
);
--> statement-breakpoint
ALTER TABLE "check_links" ADD CONSTRAINT "check_links_check_id_verification_checks_id_fk" FOREIGN KEY ("check_id") REFERENCES "public"."verification_checks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_links" ADD CONSTRAINT "check_links_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_checks" ADD CONSTRAINT "verification_checks_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_checks" ADD CONSTRAINT "verification_checks_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "check_links_file" ON "check_links" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "check_links_expires" ON "check_links" USING btree ("expires_at");