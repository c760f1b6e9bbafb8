// Calls the API with the Go client that openapi-generator generates, and prints what it read.
package main

import (
	"context"
	"encoding/json"
	"os"

	client "gatehouse.test/generated"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	of := os.Getenv
	config := client.NewConfiguration()
	config.Servers = client.ServerConfigurations{{URL: of("BASE")}}
	config.AddDefaultHeader("Authorization", "Bearer "+of("KEY"))
	api, ctx := client.NewAPIClient(config), context.Background()
	body := *client.NewCreateKybApplicationRequest(of("EXTERNAL_ID"))
	created, _, err := api.KybAPI.CreateKybApplication(ctx).CreateKybApplicationRequest(body).Execute()
	check(err)
	id := created.Data.Id
	section := *client.NewCreateKybApplicationRequestNatureOfBusiness()
	section.SetLegalCompanyName("Example GmbH")
	change := *client.NewUpdateKybApplicationRequest()
	change.SetNatureOfBusiness(section)
	_, _, err = api.KybAPI.UpdateKybApplication(ctx, id).UpdateKybApplicationRequest(change).Execute()
	check(err)
	file, err := os.Open(of("FILE"))
	check(err)
	list := client.UploadKybFileRequestAttribute("legal_structures")
	_, _, err = api.KybAPI.UploadKybFile(ctx, id).File(file).Attribute(list).Execute()
	check(err)
	read, _, err := api.KybAPI.GetKybApplication(ctx, id).Execute()
	check(err)
	_, _, err = api.KybAPI.CreateKybApplication(ctx).CreateKybApplicationRequest(body).Execute()
	refused := err.(*client.GenericOpenAPIError).Model().(client.Errors)
	abandoned, _, err := api.KybAPI.GetKybApplication(ctx, of("ABANDONED")).Execute()
	check(err)
	person := *client.NewSignInRequest(of("EMAIL"), of("PASSWORD"))
	session, _, err := api.SignInAPI.SignIn(ctx).SignInRequest(person).Execute()
	check(err)
	check(json.NewEncoder(os.Stdout).Encode([]any{
		read.Data.ExternalId,
		read.Data.NatureOfBusiness.GetLegalCompanyName(),
		read.Data.BusinessFiles.LegalStructures[0].Name,
		refused.Errors[0].Code,
		abandoned.Data.Status.GetAbandoned(),
		session.Data.User.GetPasswordChangeRequired(),
	}))
}
