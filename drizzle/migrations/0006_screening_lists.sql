CREATE TABLE "screening_lists" (
	"version" text PRIMARY KEY NOT NULL,
	"fingerprints" "bytea" NOT NULL
);
