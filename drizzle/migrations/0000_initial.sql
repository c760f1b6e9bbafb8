CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"identification_id" uuid NOT NULL,
	"referral" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "accounts_referral_unique" UNIQUE("referral")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"prefix" text NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"roles" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_keys_key_hash_unique" UNIQUE("key_hash")
);
--> statement-breakpoint
CREATE TABLE "beneficiaries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kyb_application_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"person" "bytea" NOT NULL,
	"verification" text DEFAULT 'initiated' NOT NULL,
	"token" "bytea" NOT NULL,
	"token_hash" "bytea" NOT NULL,
	CONSTRAINT "beneficiaries_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "commands" (
	"id" uuid PRIMARY KEY NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"vault_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"payload" "bytea" NOT NULL,
	"actor" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"applied_at" timestamp with time zone,
	"result" jsonb
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kyb_application_id" uuid NOT NULL,
	"state" text NOT NULL,
	"name" "bytea" NOT NULL,
	"content_type" text,
	"size" integer,
	"sha256" "bytea",
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "holds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"identification_id" uuid NOT NULL,
	"owner" text NOT NULL,
	"services" text[] NOT NULL,
	"reason" text NOT NULL,
	"notes" "bytea",
	"opened_by" text NOT NULL,
	"opened_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"applied_at" timestamp with time zone,
	"close_requested_by" text,
	"close_requested_at" timestamp with time zone,
	"lifted_by" text,
	"lifted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "identifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"external_uuid" text NOT NULL,
	"kind" text NOT NULL,
	"origin" text NOT NULL,
	"verification" text NOT NULL,
	"status" text NOT NULL,
	"waiting_on" text NOT NULL,
	"waiting_since" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"awaits_kyb" boolean NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"profile" "bytea" NOT NULL,
	"review" "bytea",
	"workflow_started_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "identifications_external_uuid" UNIQUE("vault_id","external_uuid")
);
--> statement-breakpoint
CREATE TABLE "kyb_applications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"identification_id" uuid NOT NULL,
	"external_id" text NOT NULL,
	"client_kyc" boolean NOT NULL,
	"internal" boolean NOT NULL,
	"password_hash" "bytea" NOT NULL,
	"status" text NOT NULL,
	"completed" boolean NOT NULL,
	"correcting" boolean DEFAULT false NOT NULL,
	"waiting_on" text NOT NULL,
	"waiting_since" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"currently_due" text[] NOT NULL,
	"content" "bytea" NOT NULL,
	"review_outcome" text,
	"review_reason_code" text,
	"reviewed_at" timestamp with time zone,
	"review" "bytea",
	"workflow_started_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "kyb_applications_identification_id_unique" UNIQUE("identification_id"),
	CONSTRAINT "kyb_applications_external_id" UNIQUE("vault_id","external_id")
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" varchar(255) PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);
--> statement-breakpoint
CREATE TABLE "service_blocks" (
	"hold_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"service" text NOT NULL,
	"reason" text NOT NULL,
	"notes" "bytea",
	"blocked_by" text NOT NULL,
	"blocked_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"lifted_by" text,
	"lifted_at" timestamp with time zone,
	CONSTRAINT "service_blocks_hold_id_account_id_service_pk" PRIMARY KEY("hold_id","account_id","service")
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"private_jwk" "bytea" NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "timeline" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"action" text NOT NULL,
	"actor" text NOT NULL,
	"from" text,
	"to" text,
	"reason_code" text,
	"notes" "bytea",
	"cause_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" "bytea" NOT NULL,
	"email_hash" "bytea" NOT NULL,
	"password_hash" text NOT NULL,
	"otp_required_for_login" boolean DEFAULT false NOT NULL,
	"operator_roles" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "users_email_hash_unique" UNIQUE("email_hash")
);
--> statement-breakpoint
CREATE TABLE "vault_users" (
	"vault_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"roles" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "vault_users_user_id_vault_id_pk" PRIMARY KEY("user_id","vault_id")
);
--> statement-breakpoint
CREATE TABLE "vaults" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"import_enabled" boolean DEFAULT false NOT NULL,
	"internal_settlements_enabled" boolean DEFAULT false NOT NULL,
	"trading_fee" numeric DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "verification_links" (
	"identification_id" uuid PRIMARY KEY NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"redirect_url" text,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "verification_links_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"webhook_log_id" uuid NOT NULL,
	"round" smallint NOT NULL,
	"number" smallint NOT NULL,
	"url" text NOT NULL,
	"status_code" smallint,
	"error" text,
	"duration_ms" integer NOT NULL,
	"excerpt" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "webhook_attempts_webhook_log_id_round_number_url_pk" PRIMARY KEY("webhook_log_id","round","number","url")
);
--> statement-breakpoint
CREATE TABLE "webhook_logs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"event" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"fail_reason" text,
	"payload" text NOT NULL,
	"retries" smallint DEFAULT 0 NOT NULL,
	"round" smallint DEFAULT 1 NOT NULL,
	"urls_destiny" text[] NOT NULL,
	"batch_id" uuid,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_settings" (
	"vault_id" uuid PRIMARY KEY NOT NULL,
	"url_list" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"secret" "bytea" NOT NULL,
	"redirect_url" text
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "beneficiaries" ADD CONSTRAINT "beneficiaries_kyb_application_id_kyb_applications_id_fk" FOREIGN KEY ("kyb_application_id") REFERENCES "public"."kyb_applications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_kyb_application_id_kyb_applications_id_fk" FOREIGN KEY ("kyb_application_id") REFERENCES "public"."kyb_applications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identifications" ADD CONSTRAINT "identifications_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD CONSTRAINT "kyb_applications_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD CONSTRAINT "kyb_applications_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_blocks" ADD CONSTRAINT "service_blocks_hold_id_holds_id_fk" FOREIGN KEY ("hold_id") REFERENCES "public"."holds"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_blocks" ADD CONSTRAINT "service_blocks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vault_users" ADD CONSTRAINT "vault_users_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vault_users" ADD CONSTRAINT "vault_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_links" ADD CONSTRAINT "verification_links_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_webhook_log_id_webhook_logs_id_fk" FOREIGN KEY ("webhook_log_id") REFERENCES "public"."webhook_logs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_settings" ADD CONSTRAINT "webhook_settings_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accounts_identification" ON "accounts" USING btree ("identification_id","created_at");--> statement-breakpoint
CREATE INDEX "api_keys_vault" ON "api_keys" USING btree ("vault_id");--> statement-breakpoint
CREATE INDEX "beneficiaries_kyb_application" ON "beneficiaries" USING btree ("kyb_application_id","position");--> statement-breakpoint
CREATE INDEX "commands_entity" ON "commands" USING btree ("entity_id","created_at");--> statement-breakpoint
CREATE INDEX "commands_unapplied" ON "commands" USING btree ("expires_at") WHERE applied_at IS NULL;--> statement-breakpoint
CREATE INDEX "files_kyb_application" ON "files" USING btree ("kyb_application_id");--> statement-breakpoint
CREATE INDEX "files_unattached" ON "files" USING btree ("created_at") WHERE state <> 'attached';--> statement-breakpoint
CREATE INDEX "holds_in_force" ON "holds" USING btree ("identification_id") WHERE applied_at IS NOT NULL AND lifted_at IS NULL;--> statement-breakpoint
CREATE INDEX "holds_unheard" ON "holds" USING btree ("opened_at") WHERE (applied_at IS NULL OR close_requested_at IS NOT NULL) AND lifted_at IS NULL;--> statement-breakpoint
CREATE INDEX "identifications_newest" ON "identifications" USING btree ("vault_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "identifications_unstarted" ON "identifications" USING btree ("created_at") WHERE workflow_started_at IS NULL;--> statement-breakpoint
CREATE INDEX "identifications_waiting" ON "identifications" USING btree ("waiting_on","waiting_since") WHERE waiting_on <> 'nobody';--> statement-breakpoint
CREATE INDEX "identifications_awaiting" ON "identifications" USING btree ("id") WHERE awaits_kyb AND verification <> 'closed';--> statement-breakpoint
CREATE INDEX "kyb_applications_newest" ON "kyb_applications" USING btree ("vault_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "kyb_applications_waiting" ON "kyb_applications" USING btree ("waiting_on","waiting_since") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX "kyb_applications_unstarted" ON "kyb_applications" USING btree ("created_at") WHERE workflow_started_at IS NULL;--> statement-breakpoint
CREATE INDEX "service_blocks_in_force" ON "service_blocks" USING btree ("account_id") WHERE lifted_at IS NULL;--> statement-breakpoint
CREATE INDEX "timeline_entity" ON "timeline" USING btree ("entity_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "timeline_cause" ON "timeline" USING btree ("entity_id","cause_id");--> statement-breakpoint
CREATE INDEX "vault_users_vault" ON "vault_users" USING btree ("vault_id");--> statement-breakpoint
CREATE INDEX "webhook_logs_newest" ON "webhook_logs" USING btree ("vault_id","event","status","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "webhook_logs_unclaimed" ON "webhook_logs" USING btree ("created_at") WHERE batch_id IS NULL AND status = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_logs_unfinished" ON "webhook_logs" USING btree ("batch_id") WHERE status IN ('pending', 'processing');