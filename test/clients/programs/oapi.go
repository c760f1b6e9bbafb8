// Calls the API with the Go client that oapi-codegen generates, and prints what it read.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"os"

	"github.com/google/uuid"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	of, ctx := os.Getenv, context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+of("KEY"))
		return nil
	}
	api, err := NewClientWithResponses(of("BASE"), WithRequestEditorFn(authorize))
	check(err)
	externalId, name := of("EXTERNAL_ID"), "Example GmbH"
	body := CreateKybApplicationRequest{ExternalId: externalId}
	created, err := api.CreateKybApplicationWithResponse(ctx, nil, body)
	check(err)
	id := created.JSON201.Data.Id
	section := CreateKybApplicationRequestNatureOfBusiness{LegalCompanyName: &name}
	_, err = api.UpdateKybApplicationWithResponse(ctx, id, UpdateKybApplicationRequest{NatureOfBusiness: &section})
	check(err)
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	check(parts.WriteField("attribute", "legal_structures"))
	part, err := parts.CreateFormFile("file", "register.pdf")
	check(err)
	content, err := os.ReadFile(of("FILE"))
	check(err)
	_, err = part.Write(content)
	check(err)
	check(parts.Close())
	_, err = api.UploadKybFileWithBodyWithResponse(ctx, id, nil, parts.FormDataContentType(), &form)
	check(err)
	read, err := api.GetKybApplicationWithResponse(ctx, id)
	check(err)
	refused, err := api.CreateKybApplicationWithResponse(ctx, nil, body)
	check(err)
	abandoned, err := api.GetKybApplicationWithResponse(ctx, uuid.MustParse(of("ABANDONED")))
	check(err)
	person := SignInRequest{Email: of("EMAIL"), Password: of("PASSWORD")}
	session, err := api.SignInWithResponse(ctx, person)
	check(err)
	check(json.NewEncoder(os.Stdout).Encode([]any{
		read.JSON200.Data.ExternalId,
		read.JSON200.Data.NatureOfBusiness.LegalCompanyName,
		read.JSON200.Data.BusinessFiles.LegalStructures[0].Name,
		refused.JSON422.Errors[0].Code,
		abandoned.JSON200.Data.Status.Abandoned,
		session.JSON200.Data.User.PasswordChangeRequired,
	}))
}
