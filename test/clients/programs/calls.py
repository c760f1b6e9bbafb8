"""Calls the API with the Python client that openapi-generator generates, and prints what it read."""
import json
import os
import sys

sys.path.insert(0, os.environ["CLIENT"])
from openapi_client import ApiClient, ApiException, Configuration, KybApi, SignInApi
from openapi_client.models import (
    CreateKybApplicationRequest,
    CreateKybApplicationRequestNatureOfBusiness,
    SignInRequest,
    UpdateKybApplicationRequest,
    UploadKybFileRequestAttribute,
)

of = os.environ
api = ApiClient(Configuration(host=of["BASE"], access_token=of["KEY"]))
kyb = KybApi(api)
body = CreateKybApplicationRequest(external_id=of["EXTERNAL_ID"])
created = kyb.create_kyb_application(body).data.id
section = CreateKybApplicationRequestNatureOfBusiness(legal_company_name="Example GmbH")
kyb.update_kyb_application(created, UpdateKybApplicationRequest(nature_of_business=section))
with open(of["FILE"], "rb") as file:
    kyb.upload_kyb_file(created, ("register.pdf", file.read()), UploadKybFileRequestAttribute.LEGAL_STRUCTURES)
read = kyb.get_kyb_application(created).data
try:
    kyb.create_kyb_application(body)
    code = None
except ApiException as refused:
    code = json.loads(refused.body)["errors"][0]["code"]
user = SignInApi(api).sign_in(SignInRequest(email=of["EMAIL"], password=of["PASSWORD"])).data.user
print(
    json.dumps(
        [
            read.external_id,
            read.nature_of_business.legal_company_name,
            read.business_files.legal_structures[0].name,
            code,
            kyb.get_kyb_application(of["ABANDONED"]).data.status.abandoned,
            user.password_change_required,
        ]
    )
)
