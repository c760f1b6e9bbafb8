ALTER TABLE "kyb_applications" ADD COLUMN "appealed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
/* apart */ UPDATE "kyb_applications" AS application SET "appealed" = true FROM "identifications" AS identification
WHERE identification.id = application.identification_id AND application.review_outcome = 'rejected' AND NOT application.appealed
  AND identification.verification IN ('attention', 'approved');--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_to_screen" ON "kyb_applications" USING btree ("screened_with","id") WHERE (completed OR review_outcome = 'approved') AND status <> 'abandoned' AND (review_outcome IS DISTINCT FROM 'rejected' OR appealed);--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_with_hits" ON "kyb_applications" USING btree ("waiting_since") WHERE open_hits > 0 AND status <> 'abandoned' AND (review_outcome IS DISTINCT FROM 'rejected' OR appealed);--> statement-breakpoint
DROP INDEX CONCURRENTLY "kyb_applications_screened";--> statement-breakpoint
DROP INDEX CONCURRENTLY "kyb_applications_hits";
