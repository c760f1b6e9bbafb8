ALTER TABLE "vaults" ADD COLUMN "four_eyes" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "vaults" ADD COLUMN "high_risk_countries" text[] DEFAULT '{"IR","KP","MM"}' NOT NULL;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "pending" jsonb;--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "proposal" "bytea";--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "pending" jsonb;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "proposal" "bytea";