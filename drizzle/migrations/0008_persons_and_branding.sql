DROP INDEX "identifications_newest";--> statement-breakpoint
ALTER TABLE "files" ALTER COLUMN "kyb_application_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "logo" "bytea";--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "accent_color" text;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "accent_color_dark" text;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "support_email" text;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "privacy_url" text;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "languages" text[] DEFAULT '{"en","de"}' NOT NULL;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "default_language" text DEFAULT 'en' NOT NULL;--> statement-breakpoint
ALTER TABLE "beneficiaries" ADD COLUMN "token_expires_at" timestamp with time zone DEFAULT clock_timestamp() + interval '7 days' NOT NULL;--> statement-breakpoint
ALTER TABLE "beneficiaries" ADD COLUMN "removed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "identification_id" uuid;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "warnings" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "session_hash" "bytea";--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "beneficiaries_removed" ON "beneficiaries" USING btree ("removed_at") WHERE removed_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "files_identification" ON "files" USING btree ("identification_id");--> statement-breakpoint
CREATE INDEX "identifications_newest" ON "identifications" USING btree ("vault_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE origin <> 'beneficiary';--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_owner" CHECK (num_nonnulls(kyb_application_id, identification_id) = 1);