"""Taxonomies of the categorical attributes of Adult.

The heights are those of Wong 2009, table XXII; RELATIONSHIP, which that table leaves out, has
height 2. The paper prints only a part of its trees, so the groupings are our own. They agree with
what it does say: the school years before the 9th form one subtree of EDUCATION, and
`Self-emp-not-inc` and `Private` first meet at "with pay". Unlike the paper, WORKCLASS also holds
`Never-worked`, a value that only rows with a missing occupation have.

A taxonomy is written without its root: a dict maps the name of a node to what is below it, a list
holds leaves. All leaves of a taxonomy are equally deep, so each level is a generalization of the
whole domain. Node names are unique in a tree and differ from its leaves.
"""

from typing import TypeAlias

Taxonomy: TypeAlias = "dict[str, Taxonomy] | list[str]"

WORKCLASS: Taxonomy = {
    "With-pay": {
        "Private-employer": ["Private"],
        "Self-employed": ["Self-emp-not-inc", "Self-emp-inc"],
        "Government": ["Federal-gov", "State-gov", "Local-gov"],
    },
    "No-pay": {
        "Unpaid-or-never-employed": ["Without-pay", "Never-worked"],
    },
}

# In order of schooling, which is the order of education-num.
EDUCATION: Taxonomy = {
    "School": {
        "Elementary": {
            "Lower-elementary": ["Preschool", "1st-4th"],
            "Upper-elementary": ["5th-6th", "7th-8th"],
        },
        "Secondary": {
            "Lower-secondary": ["9th", "10th"],
            "Upper-secondary": ["11th", "12th", "HS-grad"],
        },
    },
    "Higher-education": {
        "College": {
            "College-without-degree": ["Some-college"],
            "Associate-degree": ["Assoc-voc", "Assoc-acdm"],
        },
        "University": {
            "Undergraduate-degree": ["Bachelors"],
            "Postgraduate-degree": ["Masters", "Prof-school", "Doctorate"],
        },
    },
}

MARITAL_STATUS: Taxonomy = {
    "Married": {
        "Spouse-present": ["Married-civ-spouse", "Married-AF-spouse"],
        "Spouse-elsewhere": ["Married-spouse-absent", "Separated"],
    },
    "Not-married": {
        "Once-married": ["Divorced", "Widowed"],
        "Always-single": ["Never-married"],
    },
}

OCCUPATION: Taxonomy = {
    "Management-and-expertise": ["Exec-managerial", "Prof-specialty", "Tech-support"],
    "Office-and-trade": ["Adm-clerical", "Sales"],
    "Manual-work": [
        "Craft-repair",
        "Machine-op-inspct",
        "Transport-moving",
        "Handlers-cleaners",
        "Farming-fishing",
    ],
    "Service-and-protection": [
        "Other-service",
        "Priv-house-serv",
        "Protective-serv",
        "Armed-Forces",
    ],
}

RELATIONSHIP: Taxonomy = {
    "Spouse": ["Husband", "Wife"],
    "Child-or-relative": ["Own-child", "Other-relative"],
    "Unmarried-or-unrelated": ["Unmarried", "Not-in-family"],
}

RACE: Taxonomy = {
    "White-or-Black": ["White", "Black"],
    "Neither-White-nor-Black": ["Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"],
}

SEX: Taxonomy = ["Female", "Male"]

# Spelled as in the data; "Hong" is read as Hong Kong and "South" as South Korea. Territories are
# beside the state they belong to, because the outlying ones lie in two oceans.
NATIVE_COUNTRY: Taxonomy = {
    "Americas": {
        "US-and-Canada": [
            "United-States",
            "Puerto-Rico",
            "Outlying-US(Guam-USVI-etc)",
            "Canada",
        ],
        "Mexico-and-Central-America": [
            "Mexico",
            "Guatemala",
            "El-Salvador",
            "Honduras",
            "Nicaragua",
        ],
        "Caribbean": ["Cuba", "Jamaica", "Haiti", "Dominican-Republic", "Trinadad&Tobago"],
        "South-America": ["Columbia", "Ecuador", "Peru"],
    },
    "Europe": {
        "British-Isles": ["England", "Scotland", "Ireland"],
        "Western-Europe": ["France", "Germany", "Holand-Netherlands"],
        "Southern-Europe": ["Italy", "Greece", "Portugal"],
        "Eastern-Europe": ["Poland", "Hungary", "Yugoslavia"],
    },
    "Asia": {
        "East-Asia": ["China", "Hong", "Taiwan", "Japan", "South"],
        "Southeast-Asia": ["Vietnam", "Laos", "Cambodia", "Thailand", "Philippines"],
        "South-and-West-Asia": ["India", "Iran"],
    },
}

SALARY: Taxonomy = ["<=50K", ">50K"]
