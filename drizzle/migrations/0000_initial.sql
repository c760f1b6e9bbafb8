-- For the search in webhook logs. The owner of a database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"prefix" text NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"name" text,
	"roles" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_keys_key_hash_unique" UNIQUE("key_hash")
);
--> statement-breakpoint
CREATE TABLE "counters" (
	"key" varchar(255) PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expires_at_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"scope" text PRIMARY KEY NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"effect_id" uuid NOT NULL,
	"run" integer DEFAULT 1 NOT NULL,
	"lease_expires_at" timestamp with time zone NOT NULL,
	"response" "bytea",
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"private_jwk" "bytea" NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" "bytea" NOT NULL,
	"email_hash" "bytea" NOT NULL,
	"password_hash" text NOT NULL,
	"password_expires_at" timestamp with time zone,
	"token_version" integer DEFAULT 0 NOT NULL,
	"otp_required_for_login" boolean DEFAULT false NOT NULL,
	"otp_secret" "bytea",
	"otp_pending_secret" "bytea",
	"otp_used_step" integer,
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
	"four_eyes" text[] DEFAULT '{}' NOT NULL,
	"high_risk_countries" text[] DEFAULT '{"IR","KP","MM"}' NOT NULL,
	"trading_fee" numeric DEFAULT 0 NOT NULL,
	"logo" "bytea",
	"accent_color" text,
	"accent_color_dark" text,
	"support_email" text,
	"privacy_url" text,
	"languages" text[] DEFAULT '{"en","de"}' NOT NULL,
	"default_language" text DEFAULT 'en' NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" uuid PRIMARY KEY NOT NULL,
	"action" text NOT NULL,
	"actor" text NOT NULL,
	"ip_address" "bytea",
	"vault_id" uuid,
	"subject" text NOT NULL,
	"subject_id" uuid,
	"changes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"count" integer DEFAULT 1 NOT NULL,
	"count_key" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "audit_log_count_key_unique" UNIQUE("count_key")
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
CREATE TABLE "pending_facts" (
	"id" text PRIMARY KEY NOT NULL,
	"source_id" uuid NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"vault_id" uuid NOT NULL,
	"fact" jsonb NOT NULL,
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
	"fields" text[] DEFAULT '{}' NOT NULL,
	"files" uuid[] DEFAULT '{}' NOT NULL,
	"cause_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unacknowledged_commands" (
	"id" uuid PRIMARY KEY NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"vault_id" uuid NOT NULL,
	"applied_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kyb_application_id" uuid,
	"identification_id" uuid,
	"state" text NOT NULL,
	"name" "bytea" NOT NULL,
	"content_type" text,
	"size_bytes" integer,
	"sha256" "bytea",
	"readable" boolean DEFAULT true NOT NULL,
	"warnings" text[] DEFAULT '{}' NOT NULL,
	"session_hash" "bytea",
	"kept_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "files_owner" CHECK (num_nonnulls(kyb_application_id, identification_id) = 1)
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"identification_id" uuid NOT NULL,
	"referral" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "accounts_referral_unique" UNIQUE("referral")
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
	"pending" jsonb,
	"proposal" "bytea",
	"email_hash" "bytea",
	"name_hash" "bytea",
	"person_hash" "bytea",
	"concluded_at" timestamp with time zone,
	"legal_hold" boolean DEFAULT false NOT NULL,
	"erased_at" timestamp with time zone,
	"screened_with" text,
	"screened_at" timestamp with time zone,
	"open_hits" integer DEFAULT 0 NOT NULL,
	"confirmed_hits" integer DEFAULT 0 NOT NULL,
	"assigned_to" text,
	"assigned_until" timestamp with time zone,
	"workflow_started_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "identifications_external_uuid" UNIQUE("external_uuid","vault_id")
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"direction" text NOT NULL,
	"amount" numeric NOT NULL,
	"currency" text NOT NULL,
	"status" text NOT NULL,
	"reason_code" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
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
CREATE TABLE "verification_links" (
	"identification_id" uuid PRIMARY KEY NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"redirect_url" "bytea",
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "verification_links_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "beneficiaries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kyb_application_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"person" "bytea" NOT NULL,
	"email_hash" "bytea",
	"token" "bytea" NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"token_expires_at" timestamp with time zone DEFAULT clock_timestamp() + interval '7 days' NOT NULL,
	"removed_at" timestamp with time zone,
	CONSTRAINT "beneficiaries_token_hash_unique" UNIQUE("token_hash")
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
	"appealed" boolean DEFAULT false NOT NULL,
	"review_reason_code" text,
	"reviewed_at" timestamp with time zone,
	"review" "bytea",
	"pending" jsonb,
	"proposal" "bytea",
	"screened_with" text,
	"screened_at" timestamp with time zone,
	"open_hits" integer DEFAULT 0 NOT NULL,
	"confirmed_hits" integer DEFAULT 0 NOT NULL,
	"email_hash" "bytea",
	"name_hash" "bytea",
	"registration_hash" "bytea",
	"decided_content" "bytea",
	"assigned_to" text,
	"assigned_until" timestamp with time zone,
	"workflow_started_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "kyb_applications_identification_id_unique" UNIQUE("identification_id"),
	CONSTRAINT "kyb_applications_external_id" UNIQUE("external_id","vault_id")
);
--> statement-breakpoint
CREATE TABLE "console_sessions" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"token_version" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "page_sessions" (
	"token_hash" "bytea" NOT NULL,
	"identification_id" uuid NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "page_sessions_token_hash_identification_id_pk" PRIMARY KEY("token_hash","identification_id")
);
--> statement-breakpoint
CREATE TABLE "saved_filters" (
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "saved_filters_user_id_name_pk" PRIMARY KEY("user_id","name")
);
--> statement-breakpoint
CREATE TABLE "screening_hits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"entry_hash" "bytea" NOT NULL,
	"basis_hash" "bytea" NOT NULL,
	"score" numeric NOT NULL,
	"details" "bytea" NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"found_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"decided_by" text,
	"decided_at" timestamp with time zone,
	"comment" "bytea",
	CONSTRAINT "screening_hits_entry" UNIQUE("entity_id","subject","entry_hash")
);
--> statement-breakpoint
CREATE TABLE "check_links" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"check_id" uuid NOT NULL,
	"file_id" uuid NOT NULL,
	"open_count" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "verification_checks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"identification_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"waiting_since" timestamp with time zone NOT NULL,
	"accepted_at" timestamp with time zone,
	"answered_at" timestamp with time zone,
	"outcome" text,
	"reason_code" text,
	"fields" text[],
	"failure" text,
	"settled_at" timestamp with time zone,
	"task_token" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "verification_checks_wait" UNIQUE("identification_id","waiting_since")
);
--> statement-breakpoint
CREATE TABLE "published_events" (
	"vault_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"content_hash" "bytea" NOT NULL,
	"webhook_log_id" uuid,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "published_events_vault_id_event_id_pk" PRIMARY KEY("vault_id","event_id")
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
	"excerpt" "bytea",
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "webhook_attempts_webhook_log_id_round_number_url_pk" PRIMARY KEY("webhook_log_id","round","number","url")
);
--> statement-breakpoint
CREATE TABLE "webhook_failing_urls" (
	"vault_id" uuid NOT NULL,
	"topic" text NOT NULL,
	"url" text NOT NULL,
	"failing_since" timestamp with time zone NOT NULL,
	CONSTRAINT "webhook_failing_urls_vault_id_topic_url_pk" PRIMARY KEY("vault_id","topic","url")
);
--> statement-breakpoint
CREATE TABLE "webhook_leases" (
	"id" uuid PRIMARY KEY NOT NULL,
	"held_since" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_log_counts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"topic" text NOT NULL,
	"status" text NOT NULL,
	"day" date NOT NULL,
	"delta" bigint NOT NULL,
	"folded" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_logs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"vault_id" uuid NOT NULL,
	"topic" text NOT NULL,
	"event_topic" text,
	"status" text DEFAULT 'pending' NOT NULL,
	"fail_reason" text,
	"payload" text NOT NULL,
	"retries" smallint DEFAULT 0 NOT NULL,
	"round" smallint DEFAULT 1 NOT NULL,
	"urls_destiny" text[] NOT NULL,
	"batch_id" uuid,
	"lease_id" uuid,
	"due_at" timestamp with time zone,
	"indexed" boolean DEFAULT false NOT NULL,
	"erased" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_settings" (
	"vault_id" uuid PRIMARY KEY NOT NULL,
	"url_list" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_secret_expires_at" timestamp with time zone,
	"redirect_url" text,
	"long_retries" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vault_users" ADD CONSTRAINT "vault_users_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vault_users" ADD CONSTRAINT "vault_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_kyb_application_id_kyb_applications_id_fk" FOREIGN KEY ("kyb_application_id") REFERENCES "public"."kyb_applications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identifications" ADD CONSTRAINT "identifications_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_blocks" ADD CONSTRAINT "service_blocks_hold_id_holds_id_fk" FOREIGN KEY ("hold_id") REFERENCES "public"."holds"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_blocks" ADD CONSTRAINT "service_blocks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_links" ADD CONSTRAINT "verification_links_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "beneficiaries" ADD CONSTRAINT "beneficiaries_kyb_application_id_kyb_applications_id_fk" FOREIGN KEY ("kyb_application_id") REFERENCES "public"."kyb_applications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD CONSTRAINT "kyb_applications_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyb_applications" ADD CONSTRAINT "kyb_applications_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "console_sessions" ADD CONSTRAINT "console_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "page_sessions" ADD CONSTRAINT "page_sessions_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_filters" ADD CONSTRAINT "saved_filters_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_links" ADD CONSTRAINT "check_links_check_id_verification_checks_id_fk" FOREIGN KEY ("check_id") REFERENCES "public"."verification_checks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_links" ADD CONSTRAINT "check_links_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_checks" ADD CONSTRAINT "verification_checks_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_checks" ADD CONSTRAINT "verification_checks_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_settings" ADD CONSTRAINT "webhook_settings_vault_id_vaults_id_fk" FOREIGN KEY ("vault_id") REFERENCES "public"."vaults"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_vault" ON "api_keys" USING btree ("vault_id");--> statement-breakpoint
CREATE INDEX "counters_expires" ON "counters" USING btree ("expires_at_ms");--> statement-breakpoint
CREATE INDEX "idempotency_keys_oldest" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "vault_users_vault" ON "vault_users" USING btree ("vault_id");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("actor","id");--> statement-breakpoint
CREATE INDEX "audit_log_vault" ON "audit_log" USING btree ("vault_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "commands_entity" ON "commands" USING btree ("entity_id","created_at");--> statement-breakpoint
CREATE INDEX "commands_unapplied" ON "commands" USING btree ("expires_at") WHERE applied_at IS NULL;--> statement-breakpoint
CREATE INDEX "pending_facts_source" ON "pending_facts" USING btree ("source_id","created_at");--> statement-breakpoint
CREATE INDEX "timeline_entity" ON "timeline" USING btree ("entity_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "timeline_cause" ON "timeline" USING btree ("entity_id","cause_id");--> statement-breakpoint
CREATE INDEX "timeline_decisions" ON "timeline" USING btree ("created_at","vault_id","entity","action","to","reason_code","entity_id") WHERE reason_code IS NOT NULL OR action = 'check_finished';--> statement-breakpoint
CREATE INDEX "files_kyb_application" ON "files" USING btree ("kyb_application_id");--> statement-breakpoint
CREATE INDEX "files_identification" ON "files" USING btree ("identification_id");--> statement-breakpoint
CREATE INDEX "files_unattached" ON "files" USING btree ("created_at") WHERE state <> 'attached';--> statement-breakpoint
CREATE INDEX "accounts_identification" ON "accounts" USING btree ("identification_id","created_at");--> statement-breakpoint
CREATE INDEX "holds_identification" ON "holds" USING btree ("identification_id","opened_at");--> statement-breakpoint
CREATE INDEX "holds_in_force" ON "holds" USING btree ("identification_id") WHERE applied_at IS NOT NULL AND lifted_at IS NULL;--> statement-breakpoint
CREATE INDEX "holds_cases" ON "holds" USING btree ("opened_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE owner IN ('operator_operations', 'transaction_monitoring');--> statement-breakpoint
CREATE INDEX "holds_cases_unlifted" ON "holds" USING btree ("opened_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE owner IN ('operator_operations', 'transaction_monitoring') AND lifted_at IS NULL;--> statement-breakpoint
CREATE INDEX "identifications_newest" ON "identifications" USING btree ("vault_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE origin <> 'beneficiary';--> statement-breakpoint
CREATE INDEX "identifications_unstarted" ON "identifications" USING btree ("created_at") WHERE workflow_started_at IS NULL;--> statement-breakpoint
CREATE INDEX "identifications_waiting" ON "identifications" USING btree ("waiting_on","waiting_since") WHERE waiting_on <> 'nobody';--> statement-breakpoint
CREATE INDEX "identifications_waiting_status" ON "identifications" USING btree ("waiting_on","status","waiting_since") WHERE waiting_on <> 'nobody';--> statement-breakpoint
CREATE INDEX "identifications_waiting_vault" ON "identifications" USING btree ("vault_id","waiting_on","waiting_since") WHERE waiting_on <> 'nobody';--> statement-breakpoint
CREATE INDEX "identifications_assigned" ON "identifications" USING btree ("assigned_to","assigned_until") WHERE assigned_to IS NOT NULL;--> statement-breakpoint
CREATE INDEX "identifications_figures" ON "identifications" USING btree ("created_at","vault_id","verification","waiting_on","id") WHERE origin IN ('soft_kyc', 'hosted');--> statement-breakpoint
CREATE INDEX "identifications_email" ON "identifications" USING btree ("email_hash");--> statement-breakpoint
CREATE INDEX "identifications_name" ON "identifications" USING btree ("name_hash");--> statement-breakpoint
CREATE INDEX "identifications_person" ON "identifications" USING btree ("person_hash");--> statement-breakpoint
CREATE INDEX "identifications_concluded" ON "identifications" USING btree ("concluded_at") WHERE erased_at IS NULL;--> statement-breakpoint
CREATE INDEX "identifications_screened" ON "identifications" USING btree ("screened_with","id") WHERE origin <> 'kyb_application' AND waiting_on <> 'applicant' AND verification NOT IN ('rejected', 'closed') AND erased_at IS NULL;--> statement-breakpoint
CREATE INDEX "identifications_with_hits" ON "identifications" USING btree ("waiting_since") WHERE open_hits > 0 AND verification NOT IN ('rejected', 'closed');--> statement-breakpoint
CREATE INDEX "payments_account" ON "payments" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "service_blocks_in_force" ON "service_blocks" USING btree ("account_id") WHERE lifted_at IS NULL;--> statement-breakpoint
CREATE INDEX "beneficiaries_kyb_application" ON "beneficiaries" USING btree ("kyb_application_id","position");--> statement-breakpoint
CREATE INDEX "beneficiaries_email" ON "beneficiaries" USING btree ("email_hash") WHERE removed_at IS NULL;--> statement-breakpoint
CREATE INDEX "kyb_applications_newest" ON "kyb_applications" USING btree ("vault_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "kyb_applications_status" ON "kyb_applications" USING btree ("vault_id","status","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "kyb_applications_completed" ON "kyb_applications" USING btree ("vault_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE completed;--> statement-breakpoint
CREATE INDEX "kyb_applications_figures" ON "kyb_applications" USING btree ("created_at","vault_id","status","waiting_on","review_outcome","id");--> statement-breakpoint
CREATE INDEX "kyb_applications_email" ON "kyb_applications" USING btree ("email_hash");--> statement-breakpoint
CREATE INDEX "kyb_applications_name" ON "kyb_applications" USING btree ("name_hash");--> statement-breakpoint
CREATE INDEX "kyb_applications_registration" ON "kyb_applications" USING btree ("registration_hash");--> statement-breakpoint
CREATE INDEX "kyb_applications_waiting" ON "kyb_applications" USING btree ("waiting_on","waiting_since") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX "kyb_applications_waiting_vault" ON "kyb_applications" USING btree ("vault_id","waiting_on","waiting_since") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX "kyb_applications_screened" ON "kyb_applications" USING btree ("screened_with","id") WHERE (completed OR review_outcome = 'approved' OR appealed) AND status <> 'abandoned' AND (review_outcome IS DISTINCT FROM 'rejected' OR appealed);--> statement-breakpoint
CREATE INDEX "kyb_applications_with_hits" ON "kyb_applications" USING btree ("waiting_since") WHERE open_hits > 0 AND status <> 'abandoned' AND (review_outcome IS DISTINCT FROM 'rejected' OR appealed);--> statement-breakpoint
CREATE INDEX "kyb_applications_assigned" ON "kyb_applications" USING btree ("assigned_to","assigned_until") WHERE assigned_to IS NOT NULL;--> statement-breakpoint
CREATE INDEX "kyb_applications_open" ON "kyb_applications" USING btree ("id") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX "kyb_applications_unstarted" ON "kyb_applications" USING btree ("created_at") WHERE workflow_started_at IS NULL;--> statement-breakpoint
CREATE INDEX "console_sessions_expires" ON "console_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "page_sessions_identification" ON "page_sessions" USING btree ("identification_id");--> statement-breakpoint
CREATE INDEX "page_sessions_expires" ON "page_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "screening_hits_entity" ON "screening_hits" USING btree ("entity_id","found_at");--> statement-breakpoint
CREATE INDEX "screening_hits_subject" ON "screening_hits" USING btree ("subject");--> statement-breakpoint
CREATE INDEX "check_links_file" ON "check_links" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "check_links_expires" ON "check_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "published_events_oldest" ON "published_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_log_counts_group" ON "webhook_log_counts" USING btree ("vault_id","topic","status");--> statement-breakpoint
CREATE INDEX "webhook_log_counts_unfolded" ON "webhook_log_counts" USING btree ("id") WHERE NOT folded;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_log_counts_sum" ON "webhook_log_counts" USING btree ("vault_id","topic","status","day") WHERE folded;--> statement-breakpoint
CREATE INDEX "webhook_logs_newest" ON "webhook_logs" USING btree ("vault_id","topic","status","id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "webhook_logs_unfinished_of_vault" ON "webhook_logs" USING btree ("status","vault_id","round","id") WHERE status IN ('pending', 'processing');--> statement-breakpoint
CREATE INDEX "webhook_logs_search" ON "webhook_logs" USING gin ("payload" gin_trgm_ops) WHERE indexed;--> statement-breakpoint
CREATE INDEX "webhook_logs_unindexed" ON "webhook_logs" USING btree ("vault_id","topic","status","id") WHERE NOT indexed AND status IN ('completed', 'partial', 'failed');--> statement-breakpoint
CREATE INDEX "webhook_settings_expiring" ON "webhook_settings" USING btree ("previous_secret_expires_at") WHERE previous_secret_expires_at IS NOT NULL;--> statement-breakpoint
-- Each change of webhook_logs adds rows to webhook_log_counts: one for each group that became larger or smaller.
CREATE FUNCTION count_inserted_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta)
  SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date, count(*) FROM new_logs GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_deleted_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta)
  SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date, -count(*) FROM old_logs GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- An update that moves no log from one group to another writes nothing.
CREATE FUNCTION count_updated_webhook_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta)
  SELECT vault_id, topic, status, day, sum(delta)
  FROM (
    SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS delta
    FROM new_logs GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date, -count(*) FROM old_logs GROUP BY 1, 2, 3, 4
  ) AS moved
  GROUP BY 1, 2, 3, 4
  HAVING sum(delta) <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER webhook_logs_inserted AFTER INSERT ON webhook_logs
  REFERENCING NEW TABLE AS new_logs FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_webhook_logs();
--> statement-breakpoint
CREATE TRIGGER webhook_logs_updated AFTER UPDATE ON webhook_logs
  REFERENCING OLD TABLE AS old_logs NEW TABLE AS new_logs
  FOR EACH STATEMENT EXECUTE FUNCTION count_updated_webhook_logs();
--> statement-breakpoint
CREATE TRIGGER webhook_logs_deleted AFTER DELETE ON webhook_logs
  REFERENCING OLD TABLE AS old_logs FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_webhook_logs();
--> statement-breakpoint
-- Notifies every API process of changed access, whichever process or statement changed it.
CREATE FUNCTION notify_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('access', '');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER api_keys_access AFTER DELETE OR UPDATE OF revoked_at, roles, expires_at ON api_keys
FOR EACH STATEMENT EXECUTE FUNCTION notify_access();
--> statement-breakpoint
CREATE TRIGGER users_access AFTER DELETE OR UPDATE OF token_version ON users
FOR EACH STATEMENT EXECUTE FUNCTION notify_access();
