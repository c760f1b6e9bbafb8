ALTER TABLE "identifications" ADD COLUMN "names_spelt" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD COLUMN "names_spelt" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "identifications_unspelt" ON "identifications" USING btree ("id") WHERE NOT names_spelt;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "kyb_applications_unspelt" ON "kyb_applications" USING btree ("id") WHERE NOT names_spelt;