CREATE TABLE "name_parts" (
	"part_hash" "bytea" NOT NULL,
	"entity_id" uuid NOT NULL,
	CONSTRAINT "name_parts_part_hash_entity_id_pk" PRIMARY KEY("part_hash","entity_id")
);
--> statement-breakpoint
ALTER TABLE "identifications" ADD COLUMN "names_indexed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "names_indexed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "name_parts_entity" ON "name_parts" USING btree ("entity_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "identifications_unindexed" ON "identifications" USING btree ("id") WHERE NOT names_indexed;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_unindexed" ON "kyb_applications" USING btree ("id") WHERE NOT names_indexed;