// Package clients imports what generated clients import, so that go.mod keeps it.
package clients

import (
	_ "github.com/google/uuid"
	_ "github.com/oapi-codegen/runtime"
	_ "gopkg.in/validator.v2"
)
