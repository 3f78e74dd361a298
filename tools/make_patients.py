"""Write src/sfumato/datasets/patients.csv, a synthetic hospital table of 2,000 patients.

    python tools/make_patients.py

Every row is drawn at random and describes no real person: the last names are made up, and the
frequencies of ages and diseases are invented, chosen only to look plausible. The seed is fixed,
so the script always writes the same file.
"""

import csv
from collections.abc import Mapping
from pathlib import Path
from random import Random
from string import ascii_uppercase

OUTPUT = Path(__file__).resolve().parents[1] / "src" / "sfumato" / "datasets" / "patients.csv"
N_ROWS = 2_000
N_MISSING_ZIPS = 20

FEMALE_NAMES = [
    "Ada", "Alma", "Beatrix", "Carmen", "Clara", "Dalia", "Edith", "Elena", "Fatima", "Greta",
    "Hana", "Ines", "Iris", "Joan", "Keiko", "Leila", "Lucia", "Mabel", "Marta", "Nadia", "Olive",
    "Paula", "Rosa", "Sofia", "Tessa", "Uma", "Vera", "Wanda",
]  # fmt: skip
MALE_NAMES = [
    "Adam", "Albert", "Boris", "Carlo", "Cyrus", "David", "Emil", "Farid", "Felix", "George",
    "Hugo", "Ivan", "Jonas", "Karl", "Kenji", "Leo", "Marco", "Milan", "Nikola", "Omar", "Oscar",
    "Pablo", "Ravi", "Samuel", "Tomas", "Ulrich", "Victor", "Walter",
]  # fmt: skip
LAST_NAMES = [
    "Abendrill", "Ambrelow", "Barquell", "Belfarro", "Brindlecote", "Carvantes-Oul", "Corvane",
    "Dallowick", "Drummelow", "Eskerby", "Fennimoor", "Folgarde", "Garrowain", "Glimmerick",
    "Halvestone", "Harkenby", "Imberlay", "Jessamoor", "Kettlewyn", "Korvasson", "Lindqvale",
    "Lorrimond", "Mardelune", "Merrowick", "Norvendale", "Oakhampstone", "Ostrevan", "Pellamore",
    "Quillandro", "Ravensby", "Rosenquarry", "Silvermoor", "Stellanova", "Tamberlyn",
    "Thistlemoor-Orr", "Umberlow", "Valdorano", "Vantorel", "Wexcombe", "Yarrowdene",
]  # fmt: skip

# One weight per sex.
SEXES = {"female": 0.515, "male": 0.475, "other": 0.01}

# One weight per decade of age: 0-9, 10-19, ..., 90-99. Infants and the old are seen more often.
AGE_WEIGHTS = [10, 6, 9, 11, 11, 13, 15, 14, 9, 2]

# Twelve areas (the first three digits of a zip) of unequal population, five codes in each.
AREA_WEIGHTS = {
    "010": 6, "012": 4, "021": 14, "038": 3, "061": 8, "087": 9,
    "104": 15, "130": 10, "142": 11, "476": 7, "479": 8, "538": 5,
}  # fmt: skip
ZIP_ENDINGS = ["02", "15", "34", "53", "77"]

# Weights at the ages 0-17, 18-39, 40-64 and 65-99.
DISEASE_WEIGHTS = {
    "flu": (26, 16, 11, 12),
    "bronchitis": (16, 7, 7, 9),
    "asthma": (18, 9, 6, 4),
    "gastritis": (9, 10, 8, 5),
    "fracture": (19, 13, 7, 11),
    "migraine": (5, 11, 7, 2),
    "depression": (4, 14, 10, 6),
    "diabetes": (3, 4, 12, 13),
    "hypertension": (0, 4, 14, 17),
    "heart disease": (0.5, 1, 7, 14),
    "cancer": (1, 2, 8, 11),
    "HIV": (0, 4, 3, 1),
}


def draw(random: Random, weights: Mapping[str, float]) -> str:
    """Draw one key, with a probability proportional to its weight."""
    return random.choices(list(weights), list(weights.values()))[0]


def draw_name(random: Random, sex: str, taken: set[str]) -> str:
    """Draw a first name that goes with the sex, an initial and a last name nobody has yet."""
    first_names = {"female": FEMALE_NAMES, "male": MALE_NAMES}.get(sex, FEMALE_NAMES + MALE_NAMES)
    while True:
        first, last = random.choice(first_names), random.choice(LAST_NAMES)
        name = f"{first} {random.choice(ascii_uppercase)}. {last}"
        if name not in taken:
            taken.add(name)
            return name


def draw_disease(random: Random, age: int) -> str:
    """Draw a disease with the weights of the age."""
    band = sum(age >= start for start in (18, 40, 65))
    return draw(random, {disease: bands[band] for disease, bands in DISEASE_WEIGHTS.items()})


def main() -> None:
    """Draw the rows and write the file."""
    random = Random(2026)
    names: set[str] = set()
    no_zip = set(random.sample(range(N_ROWS), N_MISSING_ZIPS))
    with OUTPUT.open("w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "age", "zip", "sex", "disease"])
        for row in range(N_ROWS):
            sex = draw(random, SEXES)
            name = draw_name(random, sex, names)
            age = 10 * random.choices(range(10), AGE_WEIGHTS)[0] + random.randrange(10)
            area_zip = draw(random, AREA_WEIGHTS) + random.choice(ZIP_ENDINGS)
            zip_code = "" if row in no_zip else area_zip
            writer.writerow([name, age, zip_code, sex, draw_disease(random, age)])
    print(f"{OUTPUT.name}: {N_ROWS} rows, {OUTPUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
