/* apart */ UPDATE "kyb_applications" AS application SET "appealed" = true FROM "identifications" AS identification
WHERE identification.id = application.identification_id AND application.review_outcome = 'rejected' AND NOT application.appealed
  AND identification.verification IN ('initiated', 'attention', 'approved') AND NOT identification.awaits_kyb;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_screening" ON "kyb_applications" USING btree ("screened_with","id") WHERE (completed OR review_outcome = 'approved' OR appealed) AND status <> 'abandoned' AND (review_outcome IS DISTINCT FROM 'rejected' OR appealed);--> statement-breakpoint
DROP INDEX CONCURRENTLY "kyb_applications_to_screen";
