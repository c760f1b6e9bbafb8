-- The newest entry of its timeline is the latest moment at which an identification can have been concluded.
UPDATE "identifications" SET "concluded_at" = (
	SELECT max("created_at") FROM "timeline" WHERE "timeline"."entity_id" = "identifications"."id"
)
WHERE "verification" IN ('rejected', 'closed') OR EXISTS (
	SELECT FROM "holds" WHERE "holds"."identification_id" = "identifications"."id"
	AND "owner" = 'closure' AND "applied_at" IS NOT NULL AND "lifted_at" IS NULL
);
