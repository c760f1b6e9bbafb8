CREATE TABLE "screening_hits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"entry_hash" "bytea" NOT NULL,
	"basis_hash" "bytea" NOT NULL,
	"score" numeric NOT NULL,
	"details" "bytea" NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"found_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"decided_by" text,
	"decided_at" timestamp with time zone,
	"comment" "bytea",
	CONSTRAINT "screening_hits_entry" UNIQUE("entity_id","subject","entry_hash")
);
--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "screened_with" text;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "screened_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "open_hits" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "confirmed_hits" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "screened_with" text;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "screened_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "open_hits" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "confirmed_hits" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "screening_hits_entity" ON "screening_hits" USING btree ("entity_id","found_at");--> statement-breakpoint
CREATE INDEX "identifications_screened" ON "identifications" USING btree ("screened_with","id") WHERE origin <> 'kyb_application' AND waiting_on <> 'applicant' AND verification NOT IN ('rejected', 'closed') AND erased_at IS NULL;--> statement-breakpoint
CREATE INDEX "identifications_hits" ON "identifications" USING btree ("waiting_since") WHERE open_hits > 0 AND verification NOT IN ('rejected', 'closed');--> statement-breakpoint
CREATE INDEX "kyb_applications_screened" ON "kyb_applications" USING btree ("screened_with","id") WHERE (completed OR review_outcome = 'approved') AND status <> 'abandoned' AND review_outcome IS DISTINCT FROM 'rejected';--> statement-breakpoint
CREATE INDEX "kyb_applications_hits" ON "kyb_applications" USING btree ("waiting_since") WHERE open_hits > 0 AND status <> 'abandoned' AND review_outcome IS DISTINCT FROM 'rejected';