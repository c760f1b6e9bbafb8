"""Calls the API with the runtime of Kiota's clients, as its generated code does, and prints what it read."""
import asyncio
import json
import os

from kiota_abstractions.api_error import APIError
from kiota_abstractions.authentication import ApiKeyAuthenticationProvider, KeyLocation
from kiota_abstractions.method import Method
from kiota_abstractions.multipart_body import MultipartBody
from kiota_abstractions.request_information import RequestInformation
from kiota_abstractions.serialization import Parsable
from kiota_bundle.default_request_adapter import DefaultRequestAdapter

of = os.environ


class Record(Parsable):
    """A model without fields of its own. Its parser keeps all values as additional data."""

    def __init__(self, values=None):
        self.additional_data = values or {}

    @classmethod
    def create_from_discriminator_value(cls, parse_node):
        return cls()

    def get_field_deserializers(self):
        return {}

    def serialize(self, writer):
        writer.write_additional_data_value(self.additional_data)


class Refusal(Record, APIError):
    pass


key = ApiKeyAuthenticationProvider(KeyLocation.Header, f"Bearer {of['KEY']}", "Authorization")
adapter = DefaultRequestAdapter(key)
adapter.base_url = of["BASE"]


async def call(method, path, content=None):
    request = RequestInformation(method, "{+baseurl}" + path, {})
    request.headers.try_add("Accept", "application/json")
    if isinstance(content, MultipartBody):
        request.set_content_from_parsable(adapter, "multipart/form-data", content)
    elif content is not None:
        request.set_content_from_parsable(adapter, "application/json", Record(content))
    answer = await adapter.send_async(request, Record, {"4XX": Refusal, "5XX": Refusal})
    return answer.additional_data.get("data")


async def refusal_of(*asked):
    try:
        await call(*asked)
    except Refusal as refusal:
        return refusal.additional_data["errors"][0]["code"]


def form(file_name):
    body = MultipartBody()
    body.request_adapter = adapter
    with open(of["FILE"], "rb") as file:
        body.add_or_replace_part("file", "application/pdf", file.read(), file_name)
    body.add_or_replace_part("attribute", "text/plain", "legal_structures")
    return body


async def main():
    asked = {"external_id": of["EXTERNAL_ID"]}
    created = (await call(Method.POST, "/kyb", asked))["id"]
    await call(Method.PATCH, f"/kyb/{created}", {"nature_of_business": {"legal_company_name": "Example GmbH"}})
    assert await refusal_of(Method.POST, f"/kyb/upload_file/{created}", form(None)) == "required"
    await call(Method.POST, f"/kyb/upload_file/{created}", form("register.pdf"))
    read = await call(Method.GET, f"/kyb/{created}")
    code = await refusal_of(Method.POST, "/kyb", asked)
    abandoned = await call(Method.GET, f"/kyb/{of['ABANDONED']}")
    signed_in = await call(Method.POST, "/sign_in", {"email": of["EMAIL"], "password": of["PASSWORD"]})
    print(
        json.dumps(
            [
                read["external_id"],
                read["nature_of_business"]["legal_company_name"],
                read["business_files"]["legal_structures"][0]["name"],
                code,
                abandoned["status"]["abandoned"],
                signed_in["user"]["password_change_required"],
            ],
            default=str,
        )
    )


asyncio.run(main())
