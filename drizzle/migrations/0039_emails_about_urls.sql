-- An earlier worker does not read the emails that lack these values.
-- squawk-ignore ban-drop-not-null
ALTER TABLE "emails" ALTER COLUMN "identification_id" DROP NOT NULL;--> statement-breakpoint
-- squawk-ignore ban-drop-not-null
ALTER TABLE "emails" ALTER COLUMN "address" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "webhook_url_id" uuid;--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "user_id" uuid;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "emails_of_users" ON "emails" USING btree ("created_at") WHERE user_id IS NOT NULL;