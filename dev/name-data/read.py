"""Writes the data of the wheels in this folder as JSON, without importing the packages, which would need others."""
import csv
import glob
import io
import json
import zipfile


def wheel(name):
    return zipfile.ZipFile(glob.glob(name + "-*.whl")[0])


def read(path):
    return wheel("rigour").read("rigour/data/" + path).decode()


def constants(path, start):
    """Returns the constants of a Python module from this one on."""
    source = read(path)
    names = {}
    exec("from typing import *\n" + source[source.index(start) :].replace(": List[OrgTypeSpec]", ""), names)
    return names


data = constants("names/data.py", "PERSON_NAME_PREFIXES")
rows = csv.reader(io.StringIO(wheel("nicknames").read("nicknames/names.csv").decode()))
places = [json.loads(line) for line in read("territories/data.jsonl").splitlines()]

with open("data.json", "w") as file:
    json.dump(
        {
            "legalForms": constants("names/org_types.py", "ORG_TYPES")["ORG_TYPES"],
            "titles": data["PERSON_NAME_PREFIXES"],
            "places": [
                name
                for place in places
                for name in [place["name"], place["full_name"], *place.get("names_strong", [])]
            ],
            "companyWords": [*data["ORG_SYMBOLS"].values(), *data["ORG_DOMAINS"].values()],
            "nicknames": [*data["PERSON_NICK"].values(), *([one, other] for one, _, other in list(rows)[1:])],
            "names": [
                *data["PERSON_NAME_PARTS"].values(),
                *(line.split(" => ")[0].split(", ") for line in read("names/persons.txt").splitlines()),
            ],
        },
        file,
    )
