"""Runs the checks of scim2-tester against a server. Prints a line for each problem."""

import sys
import uuid

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

base_url, token = sys.argv[1:]
headers = {"Authorization": f"Bearer {token}"}
client = SyncSCIMClient(Client(base_url=base_url, headers=headers))
client.discover()
# The tester fills attributes with random texts, but user names are email addresses.
user = next(model for model in client.provider.models if model.__name__ == "User")
user.model_fields["user_name"].examples = [f"{uuid.uuid4()}@example.com" for _ in range(10_000)]

results = check_server(client)
accepted = {Status.SUCCESS, Status.COMPLIANT, Status.ACCEPTABLE, Status.SKIPPED}
for result in results:
    if result.status not in accepted:
        print(result.status.name, result.title, result.reason, result.data)
print(f"{len(results)} checks")
