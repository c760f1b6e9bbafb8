ALTER TABLE "timeline" ADD COLUMN "fields" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "timeline" ADD COLUMN "files" uuid[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "opens" boolean DEFAULT true NOT NULL;