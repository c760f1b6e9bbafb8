CREATE TABLE "operator_grants" (
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"vault_id" uuid,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "operator_grants_once" UNIQUE NULLS NOT DISTINCT("user_id","role","vault_id")
);
--> statement-breakpoint
ALTER TABLE "operator_groups" DROP CONSTRAINT "operator_groups_name_role_pk";--> statement-breakpoint
ALTER TABLE "admin_proposals" ADD COLUMN "vault_id" uuid;--> statement-breakpoint
ALTER TABLE "operator_groups" ADD COLUMN "vault_id" uuid;--> statement-breakpoint
ALTER TABLE "operator_grants" ADD CONSTRAINT "operator_grants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_grants" ADD CONSTRAINT "operator_grants_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "admin_proposals" ADD CONSTRAINT "admin_proposals_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_groups" ADD CONSTRAINT "operator_groups_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
INSERT INTO "operator_grants" ("user_id", "role")
  SELECT DISTINCT "id", CASE "role" WHEN 'operator_review' THEN 'senior_reviewer' WHEN 'operator_admin' THEN 'administrator' ELSE "role" END
  FROM "users", unnest("operator_roles") AS "role";--> statement-breakpoint
UPDATE "operator_groups" SET "role" = CASE "role" WHEN 'operator_review' THEN 'senior_reviewer' WHEN 'operator_admin' THEN 'administrator' ELSE "role" END;--> statement-breakpoint
ALTER TABLE "users" DROP COLUMN "operator_roles";--> statement-breakpoint
ALTER TABLE "operator_groups" ADD CONSTRAINT "operator_groups_once" UNIQUE NULLS NOT DISTINCT("name","role","vault_id");