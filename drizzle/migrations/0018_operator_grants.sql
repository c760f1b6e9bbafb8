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
CREATE UNIQUE INDEX CONCURRENTLY "operator_groups_once" ON "operator_groups" USING btree ("name","role",coalesce(vault_id, '00000000-0000-0000-0000-000000000000'));