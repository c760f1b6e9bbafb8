ALTER TABLE "screening_hits" ADD COLUMN "dismissal_by" text;--> statement-breakpoint
ALTER TABLE "screening_hits" ADD COLUMN "dismissal_at" timestamp with time zone;