CREATE TABLE "page_sessions" (
	"token_hash" "bytea" NOT NULL,
	"identification_id" uuid NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "page_sessions_token_hash_identification_id_pk" PRIMARY KEY("token_hash","identification_id")
);
--> statement-breakpoint
ALTER TABLE "page_sessions" ADD CONSTRAINT "page_sessions_identification_id_identifications_id_fk" FOREIGN KEY ("identification_id") REFERENCES "public"."identifications"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "page_sessions_identification" ON "page_sessions" USING btree ("identification_id");--> statement-breakpoint
CREATE INDEX "page_sessions_expires" ON "page_sessions" USING btree ("expires_at");