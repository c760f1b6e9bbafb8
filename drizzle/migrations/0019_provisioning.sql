CREATE TABLE "provisioned_group_members" (
	"group_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "provisioned_group_members_group_id_user_id_pk" PRIMARY KEY("group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "provisioned_groups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"external_id" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "provisioned_groups_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "provisioned_operators" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"external_id" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "provisioned_group_members" ADD CONSTRAINT "provisioned_group_members_group_id_provisioned_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."provisioned_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provisioned_group_members" ADD CONSTRAINT "provisioned_group_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provisioned_operators" ADD CONSTRAINT "provisioned_operators_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "provisioned_group_members_user" ON "provisioned_group_members" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "provisioned_operators_external" ON "provisioned_operators" USING btree ("external_id");