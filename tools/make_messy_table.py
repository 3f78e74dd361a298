"""Write a table as offices have them, for docs/tutorial.md.

    python tools/make_messy_table.py survey.csv

1,200 made-up employees of a made-up city: Windows-1252, semicolons, decimal commas, a title above
the column names, a total below the rows, codes for missing, trailing blanks, one name for two
columns. Nobody in it exists, and every run writes the same bytes.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

NAMES = [
    "No", "Name", "E-mail", "Date of birth", "Sex", "Postcode", "Department", "Department",
    "Years of service", "Canteen", "Monthly pay", "Diagnosis", "Remarks",
]  # fmt: skip
FIRST = {
    "f": ["Anna", "Zoë", "Inés", "Marie", "Léa", "Käthe", "Olga", "Nuria", "Ruth", "Emma"],
    "m": ["José", "Jürgen", "Paul", "René", "Otto", "Luís", "Karl", "Søren", "Emil", "Hugo"],
}
LAST = [
    "Müller",
    "García",
    "Lefèvre",
    "Novak",
    "Smith",
    "Jørgensen",
    "Rossi",
    "Weiß",
    "Peña",
    "Dubois",
]
DEPARTMENTS = {
    "Schools": ["Kindergartens", "Primary schools", "Libraries"],
    "Works": ["Roads", "Parks, cemeteries", "Waste", "Water"],
    "Finance": ["Taxes", "Purchasing"],
    "Social affairs": ["Youth", "Housing", "Care"],
}
DIAGNOSES = {
    "back pain": 9, "influenza": 10, "hypertension": 7, "asthma": 4, "diabetes": 4,
    "depression": 5, "burnout": 3, "migraine": 4, "breast cancer": 1, "HIV": 1,
}  # fmt: skip
REMARKS = [
    "", "",
    "works part time since {month}, asked to come back in {other}",
    "{first} called in {month}; works from home until the end of {other}",
    "see the letter of {month} {day}, and what {other_name} wrote about {place}",
    "married to {other_name} in the other office, talk about {place} first",
    "asked for a day off on {month} {day} because of {place}",
]  # fmt: skip
PLACES = ["the stairs", "room 12", "night shifts", "the depot", "lifting"]
MONTHS = ["January", "March", "May", "July", "October"]


def amount(cents: int) -> str:
    """Write an amount as a European office does: 3.250,00."""
    return f"{cents / 100:,.2f}".translate(str.maketrans(",.", ".,"))


def people(chance: random.Random, n: int) -> Iterator[tuple[list[str], int]]:
    """Give each person's fields, and the pay in cents for the total."""
    for number in range(1, n + 1):
        sex = chance.choices("fm", (55, 45))[0]
        first, last = chance.choice(FIRST[sex]), chance.choice(LAST)
        born = date(1958, 1, 1) + timedelta(days=int(chance.triangular(0, 17_000, 7_000)))
        service = min(chance.randrange(40), 2026 - born.year - 18)
        department = chance.choice(list(DEPARTMENTS))
        pay = round(chance.gauss(310_000 + 4_000 * service, 45_000))
        ill = chance.choices(list(DIAGNOSES), list(DIAGNOSES.values()))[0]
        fields = [
            str(number),
            f"{last}, {first}",
            f"{first}.{last}{number}@city.example".lower(),
            f"{born:%d.%m.%Y}",
            chance.choices([sex, f"{sex} ", sex.upper()], (94, 4, 2))[0],
            f"0{chance.choice([4103, 4105, 4107, 4109, 4155, 4157, 4159, 4177, 4178, 4179])}",
            department,
            chance.choice(DEPARTMENTS[department]),
            chance.choices([str(service), "-99"], (97, 3))[0],
            chance.choices(["yes", "no"], (70, 30))[0],
            amount(pay),
            chance.choices([ill, "n/a"], (93, 7))[0],
            chance.choice(REMARKS).format(
                first=first,
                month=chance.choice(MONTHS),
                other=chance.choice(MONTHS),
                day=chance.randrange(1, 29),
                place=chance.choice(PLACES),
                other_name=chance.choice(LAST),
            ),
        ]
        yield fields, pay


def main(path: Path, n: int = 1200) -> None:
    """Write the file."""
    total = 0
    with path.open("w", encoding="windows-1252", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["Occupational health survey 2026", *[""] * (len(NAMES) - 1)])
        writer.writerow(NAMES)
        for fields, pay in people(random.Random(18), n):
            writer.writerow(fields)
            total += pay
        writer.writerow(["Total", *[""] * 9, amount(total), "", ""])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
