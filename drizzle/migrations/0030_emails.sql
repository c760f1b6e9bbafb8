CREATE TABLE "emails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"identification_id" uuid NOT NULL,
	"notice" text NOT NULL,
	"address" "bytea" NOT NULL,
	"address_hash" "bytea" NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"attempted_at" timestamp with time zone,
	"workflow_started_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "emails" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "email_outcomes" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "verification_links" ADD COLUMN "email" "bytea";--> statement-breakpoint
ALTER TABLE "verification_links" ADD COLUMN "token" "bytea";--> statement-breakpoint
ALTER TABLE "verification_links" ADD COLUMN "reminders" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "verification_links" ADD COLUMN "remind_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "verification_links" ADD COLUMN "reminders_declined" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "emails" ADD CONSTRAINT "emails_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "emails" ADD CONSTRAINT "emails_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "emails_identification" ON "emails" USING btree ("identification_id");--> statement-breakpoint
CREATE INDEX "emails_address" ON "emails" USING btree ("address_hash","attempted_at");--> statement-breakpoint
CREATE INDEX "emails_vault" ON "emails" USING btree ("vault_id","attempted_at");--> statement-breakpoint
CREATE INDEX "emails_unstarted" ON "emails" USING btree ("created_at") WHERE workflow_started_at IS NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "verification_links_remind" ON "verification_links" USING btree ("remind_at") WHERE remind_at IS NOT NULL;