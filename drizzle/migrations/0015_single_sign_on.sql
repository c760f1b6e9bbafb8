CREATE TABLE "operator_group_members" (
	"user_id" uuid NOT NULL,
	"group_name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "operator_group_members_user_id_group_name_pk" PRIMARY KEY("user_id","group_name")
);
--> statement-breakpoint
CREATE TABLE "operator_groups" (
	"name" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "operator_groups_name_role_pk" PRIMARY KEY("name","role")
);
--> statement-breakpoint
CREATE TABLE "operator_identities" (
	"issuer" text NOT NULL,
	"subject_hash" "bytea" NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "operator_identities_issuer_subject_hash_pk" PRIMARY KEY("issuer","subject_hash")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "access_ends_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "console_sessions" ADD COLUMN "provider_session_hash" "bytea";--> statement-breakpoint
ALTER TABLE "operator_group_members" ADD CONSTRAINT "operator_group_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_identities" ADD CONSTRAINT "operator_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "operator_group_members_group" ON "operator_group_members" USING btree ("group_name");--> statement-breakpoint
CREATE INDEX "operator_identities_user" ON "operator_identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "console_sessions_user" ON "console_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "console_sessions_provider" ON "console_sessions" USING btree ("provider_session_hash") WHERE provider_session_hash IS NOT NULL;