-- SQL cannot seal: excerpts of receivers' answers written before are given up, and so are the return
-- addresses of links that were sent out, which live for seven days.
ALTER TABLE "webhook_attempts" DROP COLUMN "excerpt";--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD COLUMN "excerpt" "bytea";--> statement-breakpoint
ALTER TABLE "verification_links" DROP COLUMN "redirect_url";--> statement-breakpoint
ALTER TABLE "verification_links" ADD COLUMN "redirect_url" "bytea";
