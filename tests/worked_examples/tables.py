"""The small example tables of the five papers, as constants for tests.

Rows stand in the printed order, so row i of a recoded table is row i of its original. A hierarchy
is a dict from child to parent. "Scan" is the scanned text these were read from; where it is damaged
the comment says what was rebuilt and from what. "READINGS n" is one of the project's own readings
of the papers (those in use are in docs/papers.md), so not the paper's own word.
"""

from fractions import Fraction

NS = "non-sensitive"

# ------------------------------------------------------------------------------- Ciriani 2008

# fmt: off
# Ciriani 2008, figure 1, the private table; SSN and Name are blank in the paper and left out.
CIRIANI_FIG1_COLUMNS = ("id", "ZIP", "MaritalStatus", "Sex", "Disease")
CIRIANI_FIG1: list[tuple[int, str, str, str, str]] = [
    (1,  "22030", "married",  "F", "hypertension"),
    (2,  "22030", "married",  "F", "hypertension"),
    (3,  "22030", "single",   "M", "obesity"),
    (4,  "22032", "single",   "M", "HIV"),
    (5,  "22032", "single",   "M", "obesity"),
    (6,  "22032", "divorced", "F", "hypertension"),
    (7,  "22045", "divorced", "M", "obesity"),
    (8,  "22047", "widow",    "M", "HIV"),
    (9,  "22047", "widow",    "M", "HIV"),
    (10, "22047", "single",   "F", "obesity"),
]
# fmt: on
CIRIANI_QI = ("ZIP", "MaritalStatus", "Sex")

# Ciriani 2008, section 2.1: without these tuples figure 1 is 2-anonymous, nothing generalized.
CIRIANI_SUPPRESSED_FOR_K2 = (3, 6, 7, 10)

# Ciriani 2008, figure 3 (drawing lost; from the text): ZIP loses its right-most digit twice.
CIRIANI_ZIP = {
    "22030": "2203*",
    "22032": "2203*",
    "22045": "2204*",
    "22047": "2204*",
    "2203*": "220**",
    "2204*": "220**",
}
# Ciriani 2008, figure 3 (drawing lost; the text and figure 5 say which value goes where).
CIRIANI_MARITAL = {
    "married": "been_married",
    "widow": "been_married",
    "divorced": "been_married",
    "single": "never_married",
    "been_married": "not_released",
    "never_married": "not_released",
}
# Ciriani 2008, figure 3 (drawing lost; from the text).
CIRIANI_SEX = {"M": "not_released", "F": "not_released"}

# Ciriani 2008, figure 5(a), node [2,2,1]: the text says ten rows, the scan shows nine; ten here.
CIRIANI_FIG5_COLUMNS = CIRIANI_QI
CIRIANI_FIG5A_NODE = (2, 2, 1)
CIRIANI_FIG5A: list[tuple[str, str, str]] = [("220**", "not_released", "not_released")] * 10

# fmt: off
# Ciriani 2008, figure 5(b), node [2,1,0]: nine rows as scanned, and it must be nine: the text
# calls it 3-anonymous, and tuple 10 would be alone as (220**, never_married, F).
CIRIANI_FIG5B_NODE = (2, 1, 0)
CIRIANI_FIG5B_SUPPRESSED = (10,)
CIRIANI_FIG5B: list[tuple[str, str, str]] = [
    ("220**", "been_married",  "F"),
    ("220**", "been_married",  "F"),
    ("220**", "never_married", "M"),
    ("220**", "never_married", "M"),
    ("220**", "never_married", "M"),
    ("220**", "been_married",  "F"),
    ("220**", "been_married",  "M"),
    ("220**", "been_married",  "M"),
    ("220**", "been_married",  "M"),
]

# Ciriani 2008, figure 5(c), node [1,1,0]: nine rows, tuple 10 suppressed.
CIRIANI_FIG5C_NODE = (1, 1, 0)
CIRIANI_FIG5C_SUPPRESSED = (10,)
CIRIANI_FIG5C: list[tuple[str, str, str]] = [
    ("2203*", "been_married",  "F"),
    ("2203*", "been_married",  "F"),
    ("2203*", "never_married", "M"),
    ("2203*", "never_married", "M"),
    ("2203*", "never_married", "M"),
    ("2203*", "been_married",  "F"),
    ("2204*", "been_married",  "M"),
    ("2204*", "been_married",  "M"),
    ("2204*", "been_married",  "M"),
]

# Ciriani 2008, section 3: figure 1, k = 3, MaxSup = 2; READINGS 5: exactly these two nodes.
CIRIANI_K3_MINIMAL = {(1, 1, 0), (0, 2, 1)}

# Ciriani 2008, figure 6: the graph (all six edges on four vertices) and its table T.
CIRIANI_FIG6_COLUMNS = ("i", "j", "k", "h")
CIRIANI_FIG6_EDGES = [("i", "j"), ("i", "k"), ("j", "k"), ("i", "h"), ("j", "h"), ("k", "h")]
CIRIANI_FIG6: list[tuple[int, int, int, int]] = [
    (1, 1, 0, 0),
    (1, 0, 1, 0),
    (0, 1, 1, 0),
    (1, 0, 0, 1),
    (0, 1, 0, 1),
    (0, 0, 1, 1),
]
# Ciriani 2008, figure 6, T anonymized (k = 3): a triangle and a 4-star, 18 stars.
CIRIANI_FIG6_ANONYMIZED = [("*", "*", "*", "0")] * 3 + [("*", "*", "*", "1")] * 3
CIRIANI_FIG6_OPTIMUM = 18

# Ciriani 2008, figure 7: table T', three blocks of four columns; edges ranked 001 to 110. The
# anonymized T' is lost in the scan. READINGS 11: optimum 60, above 54 (no two edge-disjoint
# triangles cover the graph).
CIRIANI_FIG7_RANKS = ("001", "010", "011", "100", "101", "110")
CIRIANI_FIG7: list[tuple[int, ...]] = [
    (1, 2, 0, 0,  1, 2, 0, 0,  2, 1, 0, 0),
    (1, 0, 2, 0,  2, 0, 1, 0,  1, 0, 2, 0),
    (0, 1, 2, 0,  0, 2, 1, 0,  0, 2, 1, 0),
    (2, 0, 0, 1,  1, 0, 0, 2,  1, 0, 0, 2),
    (0, 2, 0, 1,  0, 1, 0, 2,  0, 2, 0, 1),
    (0, 0, 2, 1,  0, 0, 2, 1,  0, 0, 1, 2),
]
CIRIANI_FIG7_TRIANGLE_BOUND = 54
CIRIANI_FIG7_OPTIMUM = 60

# Ciriani 2008, figure 9, matrix VT, rows and columns in the order of the ids. The scan lost the
# first row and one entry of every other row; derived from figures 1 and 3, agrees with the rest.
CIRIANI_FIG9_IDS = (1, 3, 4, 6, 7, 8, 10)
CIRIANI_FIG9: list[tuple[tuple[int, int, int], ...]] = [
    ((0, 0, 0), (0, 2, 1), (1, 2, 1), (1, 1, 0), (2, 1, 1), (2, 1, 1), (2, 2, 0)),
    ((0, 2, 1), (0, 0, 0), (1, 0, 0), (1, 2, 1), (2, 2, 0), (2, 2, 0), (2, 0, 1)),
    ((1, 2, 1), (1, 0, 0), (0, 0, 0), (0, 2, 1), (2, 2, 0), (2, 2, 0), (2, 0, 1)),
    ((1, 1, 0), (1, 2, 1), (0, 2, 1), (0, 0, 0), (2, 0, 1), (2, 1, 1), (2, 2, 0)),
    ((2, 1, 1), (2, 2, 0), (2, 2, 0), (2, 0, 1), (0, 0, 0), (1, 1, 0), (1, 2, 1)),
    ((2, 1, 1), (2, 2, 0), (2, 2, 0), (2, 1, 1), (1, 1, 0), (0, 0, 0), (0, 2, 1)),
    ((2, 2, 0), (2, 0, 1), (2, 0, 1), (2, 2, 0), (1, 2, 1), (0, 2, 1), (0, 0, 0)),
]

# Ciriani 2008, figure 12: k-Optimize's index of every value, in the order of the attributes.
CIRIANI_FIG12: list[tuple[int, str, str]] = [
    (1, "ZIP", "22030"), (2, "ZIP", "22032"), (3, "ZIP", "22045"), (4, "ZIP", "22047"),
    (5, "MaritalStatus", "married"), (6, "MaritalStatus", "widow"),
    (7, "MaritalStatus", "divorced"), (8, "MaritalStatus", "single"),
    (9, "Sex", "M"), (10, "Sex", "F"),
]
# fmt: on

# Ciriani 2008, figure 17, k = 2 on (MaritalStatus, Sex); drawing lost, regions by READINGS 7. The
# text's cuts, M at single and F at widow, fit this order of the axis, figure 12's read backwards.
CIRIANI_FIG17_MARITAL_ORDER = ("single", "divorced", "widow", "married")
CIRIANI_FIG17: list[tuple[str, frozenset[str], int]] = [
    ("M", frozenset({"single"}), 3),
    ("M", frozenset({"divorced", "widow"}), 3),
    ("F", frozenset({"married"}), 2),
    ("F", frozenset({"divorced", "single"}), 2),
]

# fmt: off
# Ciriani 2008, figure 18: figure 5(c) with Disease.
CIRIANI_FIG18_COLUMNS = ("ZIP", "MaritalStatus", "Sex", "Disease")
CIRIANI_FIG18: list[tuple[str, str, str, str]] = [
    ("2203*", "been_married",  "F", "hypertension"),
    ("2203*", "been_married",  "F", "hypertension"),
    ("2203*", "never_married", "M", "obesity"),
    ("2203*", "never_married", "M", "HIV"),
    ("2203*", "never_married", "M", "obesity"),
    ("2203*", "been_married",  "F", "hypertension"),
    ("2204*", "been_married",  "M", "obesity"),
    ("2204*", "been_married",  "M", "HIV"),
    ("2204*", "been_married",  "M", "HIV"),
]

# Ciriani 2008, figure 19: 2-diverse in Cholesterol, not in Diabetes (READINGS 6).
CIRIANI_FIG19_COLUMNS = ("ZIP", "MaritalStatus", "Sex", "Diabetes", "Cholesterol")
CIRIANI_FIG19: list[tuple[str, str, str, str, int]] = [
    ("2203*", "been_married",  "F", "N", 230),
    ("2203*", "been_married",  "F", "N", 220),
    ("2203*", "never_married", "M", "Y", 250),
    ("2203*", "never_married", "M", "Y", 260),
    ("2203*", "never_married", "M", "N", 250),
    ("2203*", "been_married",  "F", "N", 275),
    ("2204*", "been_married",  "M", "N", 285),
    ("2204*", "been_married",  "M", "Y", 210),
    ("2204*", "been_married",  "M", "N", 190),
]
# fmt: on
CIRIANI_FIG19_PUBLISHED_DIABETES = Fraction(3, 9)
CIRIANI_FIG19_TEXT_DIABETES = Fraction(3, 10)  # the text's 30 %: with the suppressed tuple

# ---------------------------------------------------------------------------------- Wong 2009

# Wong 2009, all tables headed QID and Disease.
WONG_COLUMNS = ("QID", "Disease")
WONG_SENSITIVE = frozenset({"HIV"})
# Wong 2009, tables I to IV, IX to XIV, XX: q1 and q2 go to Q; q4 (II, III) does not.
WONG_QID = {"q1": "Q", "q2": "Q"}
# Wong 2009, tables V to VII.
WONG_QID_V = {"q1": "Q", "q2": "Q", "q3": "Q"}
# Wong 2009, figure 6 (drawing lost; from tables XX and section 6): two steps up, then nothing.
WONG_FIG6 = {"q1": "Q", "q2": "Q", "Q": "*"}

# Wong 2009, table I, l = 2. The scan has an eighth row, (q2, non-sensitive) or its recoding; seven
# here, because the text counts two q1 and five q2 and table II(a) names seven people.
WONG_I_A = [("q1", "HIV"), ("q1", NS), ("q2", "HIV")] + [("q2", NS)] * 4
WONG_I_B = [("q1", "HIV")] * 2 + [("q2", NS)] * 5
WONG_I_C = [("Q", "HIV")] * 2 + [("Q", NS)] * 5
WONG_I_D = [("Q", "HIV")] * 2 + [("Q", NS)] * 2 + [("q2", NS)] * 3

# Wong 2009, table II(a) and (c): the adversary's external table.
WONG_II_COLUMNS = ("Name", "QID")
WONG_II_A = [(name, "q1") for name in ("Andre", "Kim")] + [
    (name, "q2") for name in ("Jeremy", "Victoria", "Ellen", "Sally", "Ben")
]
WONG_II_C = [*WONG_II_A, ("Tim", "q4"), ("Joseph", "q4")]
# Wong 2009, table II(b) and (d), the multisets; the scan has six q2, five here as in (a) and (c).
WONG_II_B = ["q1"] * 2 + ["q2"] * 5
WONG_II_D = ["q1"] * 2 + ["q2"] * 5 + ["q4"] * 2

# fmt: off
# Wong 2009, table III, l = 2, every disease sensitive.
WONG_III_A: list[tuple[str, str]] = [
    ("q1", "HIV"), ("q1", "Lung Cancer"),
    ("q2", "Gallstones"), ("q2", "HIV"), ("q2", "Ulcer"), ("q2", "Alzheimer"), ("q2", "Diabetes"),
    ("q4", "Ulcer"), ("q4", "Alzheimer"),
]
WONG_III_B: list[tuple[str, str]] = [
    ("q1", "HIV"), ("q1", "HIV"),
    ("q2", "Gallstones"), ("q2", "Lung Cancer"), ("q2", "Ulcer"), ("q2", "Alzheimer"),
    ("q2", "Diabetes"),
    ("q4", "Ulcer"), ("q4", "Alzheimer"),
]
WONG_III_C: list[tuple[str, str]] = [
    ("Q", "HIV"), ("Q", "HIV"), ("Q", "Gallstones"), ("Q", "Lung Cancer"), ("Q", "Ulcer"),
    ("Q", "Alzheimer"), ("Q", "Diabetes"),
    ("q4", "Ulcer"), ("q4", "Alzheimer"),
]
WONG_III_D: list[tuple[str, str]] = [
    ("Q", "HIV"), ("Q", "HIV"), ("Q", "Gallstones"), ("Q", "Lung Cancer"),
    ("q2", "Ulcer"), ("q2", "Alzheimer"), ("q2", "Diabetes"),
    ("q4", "Ulcer"), ("q4", "Alzheimer"),
]
# fmt: on

# Wong 2009, table IV, l = 3 used to reach l = 2. Eleven rows as scanned; no count in the text. A
# row too many is possible, as in table I: six Q rows would do in (d). The belief is 2/3 anyway.
WONG_IV_A = [("q1", "HIV")] + [("q1", NS)] * 2 + [("q2", "HIV")] + [("q2", NS)] * 7
WONG_IV_B = [("q1", "HIV")] * 2 + [("q1", NS)] + [("q2", NS)] * 8
WONG_IV_C = [("Q", "HIV")] * 2 + [("Q", NS)] * 9
WONG_IV_D = [("Q", "HIV")] * 2 + [("Q", NS)] * 5 + [("q2", NS)] * 4

# Wong 2009, table V, l = 2; printed with dots, filled up to the ten q3 and five HIV of the text.
WONG_V = [("q1", "HIV")] * 2 + [("q2", "HIV"), ("q2", NS)] + [("q3", "HIV")] * 2 + [("q3", NS)] * 8
# Wong 2009, table VI: table V with Q everywhere (dots filled up likewise).
WONG_VI = [("Q", disease) for _, disease in WONG_V]

# Wong 2009, table VII: sensitive tuples in q1, q2, q3 and the number of cases.
WONG_VII_COLUMNS = ("q1", "q2", "q3", "cases")
WONG_VII_SIZES = {"q1": 2, "q2": 2, "q3": 10}
WONG_VII: list[tuple[int, int, int, int]] = [
    (2, 0, 3, 120),
    (2, 1, 2, 90),
    (2, 2, 1, 10),
    (1, 2, 2, 90),
    (0, 2, 3, 120),
]
WONG_VII_TOTAL = 430
# Wong 2009, section 4.1.1 (0.616 for q1); q2 and q3 by READINGS 13.
WONG_VI_CREDIBILITY = {"q1": Fraction(53, 86), "q2": Fraction(53, 86), "q3": Fraction(109, 430)}

# fmt: off
# Wong 2009, table IX, l = 2; printed with dots, filled up to the eight q2 and four HIV of the text.
WONG_IX = (
    [("q1", "HIV")] * 2 + [("q1", NS)] * 2 + [("q1", "HIV")] + [("q2", NS)] * 7 + [("q2", "HIV")]
)
# Wong 2009, table X, local recoding of IX (dots filled up from IX).
WONG_X = (
    [("q1", "HIV")] * 2 + [("q1", NS)] * 2 + [("Q", "HIV"), ("Q", NS)]
    + [("q2", NS)] * 6 + [("q2", "HIV")]
)
# fmt: on
# Wong 2009, section 4.2.1 for q1; q2 by READINGS 14.
WONG_X_CREDIBILITY = {"q1": Fraction(3, 5), "q2": Fraction(1, 8)}

# Wong 2009, appendix B, lemma 2: class sizes and number of sensitive tuples, l = 2; belief 1/2.
WONG_LEMMA2_SIZES = {"q1": 4, "q2": 2}
WONG_LEMMA2_SENSITIVE = 3
WONG_LEMMA2_CREDIBILITY = {"q1": Fraction(1, 2), "q2": Fraction(1, 2)}

# fmt: off
# Wong 2009, table XI, recursive (3, 3)-diversity; the paper's own spellings of the diseases.
WONG_XI_A: list[tuple[str, str]] = [
    ("q1", "Diabetics"), ("q1", "HIV"), ("q1", "Lung Cancer"),
    ("q2", "HIV"), ("q2", "Ulcer"), ("q2", "Alzhema"), ("q2", "Gallstones"),
]
WONG_XI_B: list[tuple[str, str]] = [
    ("q1", "Diabetics"), ("q1", "HIV"), ("q1", "HIV"),
    ("q2", "Lung Cancer"), ("q2", "Ulcer"), ("q2", "Alzhema"), ("q2", "Gallstones"),
]
WONG_XI_C: list[tuple[str, str]] = [
    ("Q", "Diabetics"), ("Q", "HIV"), ("Q", "HIV"),
    ("Q", "Lung Cancer"), ("Q", "Ulcer"), ("Q", "Alzhema"), ("Q", "Gallstones"),
]
WONG_XI_D: list[tuple[str, str]] = [
    ("Q", "Diabetics"), ("Q", "HIV"), ("Q", "HIV"), ("Q", "Lung Cancer"),
    ("q2", "Ulcer"), ("q2", "Alzhema"), ("q2", "Gallstones"),
]
# fmt: on

# Wong 2009, table XII, 0.5-closeness; ten rows with four HIV by READINGS 18, as (b) is scanned.
# (a) scanned with 8 rows: one q2 HIV and one q2 non-sensitive added so that it has (b)'s values.
# (c) scanned with 3 HIV and 7 others: recoded from (b). (d) scanned with 9 rows: a q2 HIV added.
WONG_XII_A = [("q1", "HIV"), ("q1", NS)] + [("q2", NS)] * 5 + [("q2", "HIV")] * 3
WONG_XII_B = [("q1", "HIV")] * 2 + [("q2", NS)] * 6 + [("q2", "HIV")] * 2
WONG_XII_C = [("Q", "HIV")] * 2 + [("Q", NS)] * 6 + [("Q", "HIV")] * 2
WONG_XII_D = [("Q", "HIV")] * 2 + [("Q", NS)] * 4 + [("q2", NS)] * 2 + [("q2", "HIV")] * 2

# Wong 2009, table XIII, (k, e)-anonymity with k = 2, e = 5,000; incomes in units, not thousands.
# (a) and (b) hold different incomes in the scan: with (a)'s values q1 could be 20k twice as well.
WONG_XIII_COLUMNS = ("QID", "Income")
WONG_XIII_A = [("q1", 30000), ("q1", 20000), ("q2", 30000), ("q2", 20000), ("q2", 40000)]
WONG_XIII_B = [("q1", 30000), ("q1", 30000), ("q2", 20000), ("q2", 10000), ("q2", 40000)]
WONG_XIII_C = [("Q", 30000), ("Q", 30000), ("Q", 20000), ("Q", 10000), ("Q", 40000)]
WONG_XIII_D = [("Q", 30000), ("Q", 30000), ("Q", 20000), ("q2", 10000), ("q2", 40000)]

# Wong 2009, table XIV, (0.6, 2)-safety; 16 rows in (a) to (c) as scanned. (d) is scanned with 14:
# two q2 rows added at the end (they could as well be Q). READINGS 18: (a) is not safe as printed;
# with k = 1 and pairwise different non-sensitive values the story holds.
WONG_XIV_A = [("q1", "HIV")] + [("q1", NS)] * 2 + [("q2", "HIV")] + [("q2", NS)] * 12
WONG_XIV_B = [("q1", "HIV")] * 2 + [("q1", NS)] + [("q2", NS)] * 13
WONG_XIV_C = [("Q", "HIV")] * 2 + [("Q", NS)] * 14
WONG_XIV_D = [("Q", "HIV")] * 2 + [("Q", NS)] * 8 + [("q2", NS)] * 6

# fmt: off
# Wong 2009, table XV, personalized privacy, l = 2; "none" is the absent guarding node.
WONG_XV_A_COLUMNS = ("QID", "Education", "GuardingNode")
WONG_XV_A: list[tuple[str, str, str]] = [
    ("q1", "1st-4th",   "elementary"),
    ("q2", "undergrad", "none"),
    ("q2", "undergrad", "none"),
]
WONG_XV_COLUMNS = ("QID", "Education")
WONG_XV_B = [("Q", "1st-4th"), ("Q", "undergrad"), ("Q", "undergrad")]
WONG_XV_C = [("Q", "1st-4th"), ("Q", "undergrad"), ("q2", "undergrad")]
# fmt: on

# Wong 2009, figure 1, Education (drawing lost). From the text: nine leaves, those under elementary
# and university, the leaf vocational, and 9th-10th as the first of secondary. Invented: the two
# unknown leaves, the root "any", and everything hanging directly from it.
WONG_FIG1 = {
    "1st-4th": "elementary",
    "5th-6th": "elementary",
    "7th-8th": "elementary",
    "9th-10th": "secondary",
    "unknown-1": "any",
    "unknown-2": "any",
    "vocational": "any",
    "undergrad": "university",
    "postgrad": "university",
    "elementary": "any",
    "secondary": "any",
    "university": "any",
}
WONG_FIG1_BASE = 9

# Wong 2009, sections 1.1 and 5.1 (READINGS 13 and 18): belief that a q1 individual has the value
# named, the same for global and local recoding.
WONG_Q1_BELIEF: dict[str, tuple[str | int, Fraction]] = {
    "I": ("HIV", Fraction(1)),
    "III": ("HIV", Fraction(1)),
    "IV": ("HIV", Fraction(2, 3)),
    "XI": ("HIV", Fraction(2, 3)),
    "XII": ("HIV", Fraction(1)),
    "XIII": (30000, Fraction(1)),
    "XIV": ("HIV", Fraction(2, 3)),
    "XV": ("1st-4th", Fraction(1)),
}

# fmt: off
# Wong 2009, table XVI.
WONG_XVI_COLUMNS = ("Gender", "Education", "Disease")
WONG_XVI: list[tuple[str, str, str]] = [
    ("Male",   "postgraduate",  "HIV"),
    ("Female", "undergraduate", "HIV"),
    ("Female", "postgraduate",  NS),
    ("Female", "undergraduate", NS),
    ("Female", "undergraduate", NS),
]
# Wong 2009, table XVII, node (G0, E1).
WONG_XVII: list[tuple[str, str, str]] = [
    ("Male",   "university", "HIV"),
    ("Female", "university", "HIV"),
    ("Female", "university", NS),
    ("Female", "university", NS),
    ("Female", "university", NS),
]
# Wong 2009, table XVIII(a), node (G1, E0), the published one.
WONG_XVIII_A: list[tuple[str, str, str]] = [
    ("Person", "postgraduate",  "HIV"),
    ("Person", "undergraduate", "HIV"),
    ("Person", "postgraduate",  NS),
    ("Person", "undergraduate", NS),
    ("Person", "undergraduate", NS),
]
# fmt: on
# Wong 2009, table XVIII(b), node (G1, E1).
WONG_XVIII_B = [("Person", "university", "HIV")] * 2 + [("Person", "university", NS)] * 3
# Wong 2009, figure 4(a) (drawing lost; from tables XVI and XVIII).
WONG_FIG4_GENDER = {"Male": "Person", "Female": "Person"}
# Wong 2009, figure 4(b) (drawing lost). Seven leaves and the root are invented: a loss of 0.0625
# needs nine leaves of which university covers two.
WONG_FIG4_EDUCATION = {
    "undergraduate": "university",
    "postgraduate": "university",
    "university": "any",
    **{f"other-{number}": "any" for number in range(1, 8)},
}
# Wong 2009, section 5.2.1, losses of definition 7 with weights 1/2; beliefs by READINGS 19.
WONG_XVII_LOSS = 0.0625
WONG_XVIII_A_LOSS = 0.5
WONG_XVIII_A_BELIEF_MINIMALITY = Fraction(1, 2)
WONG_XVIII_A_BELIEF_MECHANISM = Fraction(1)

# fmt: off
# Wong 2009, table XIX(a); intervals below are inclusive (low, high). (c) is the failed cut on Age,
# (d) the published cut on Zipcode.
WONG_XIX_COLUMNS = ("Zipcode", "Age", "Disease")
WONG_XIX_A: list[tuple[int, int, str]] = [
    (51102, 36, "HIV"),
    (51104, 36, "HIV"),
    (51101, 31, NS),
    (51102, 31, NS),
    (51104, 31, NS),
    (51105, 31, NS),
]
WONG_XIX_B: list[tuple[tuple[int, int], tuple[int, int], str]] = [
    ((51101, 51105), (31, 36), disease) for _, _, disease in WONG_XIX_A
]
WONG_XIX_C: list[tuple[tuple[int, int], tuple[int, int], str]] = [
    *[((51101, 51105), (32, 36), "HIV")] * 2,
    *[((51101, 51105), (31, 31), NS)] * 4,
]
WONG_XIX_D: list[tuple[tuple[int, int], tuple[int, int], str]] = [
    ((51101, 51103), (31, 36), "HIV"),
    ((51104, 51105), (31, 36), "HIV"),
    ((51101, 51103), (31, 36), NS),
    ((51101, 51103), (31, 36), NS),
    ((51104, 51105), (31, 36), NS),
    ((51104, 51105), (31, 36), NS),
]
# fmt: on

# Wong 2009, table XX, table I(b) at D1 and D2; the scan has eight rows, seven here as in table I.
WONG_XX_A = [("Q", "HIV")] * 2 + [("Q", NS)] * 5
WONG_XX_B = [("*", "HIV")] * 2 + [("*", NS)] * 5

# Wong 2009, table XXI, MASK with k = m = 2; q1 and q2 go to Q, q3 and q4 stay.
WONG_XXI_A = [("q1", "HIV"), ("q2", "HIV"), ("q3", "HIV"), ("q3", NS), ("q4", NS), ("q4", NS)]
WONG_XXI_B = [("Q", "HIV"), ("Q", "HIV"), ("q3", "HIV"), ("q3", NS), ("q4", NS), ("q4", NS)]
WONG_XXI_C = [("Q", "HIV"), ("Q", NS), ("q3", "HIV"), ("q3", NS), ("q4", NS), ("q4", NS)]
# Wong 2009, table XXI(c) under exact inference, uniform prior (READINGS 20): Q and q3 exceed 1/2.
WONG_XXI_C_POSTERIOR = Fraction(5, 8)

# fmt: off
# Wong 2009, section 7.1, the first case found in Adult, before and after recoding, m = 2.
WONG_CASE80_COLUMNS = ("age", "workclass", "marital-status", "education")
WONG_CASE80: list[tuple[int, str, str, str]] = [
    (80, "self-emp-not-inc", "married-spouse-absent", "7th-8th"),
    (80, "private",          "married-spouse-absent", "HS-grad"),
    (80, "private",          "married-spouse-absent", "HS-grad"),
]
WONG_CASE80_PUBLISHED: list[tuple[int, str, str, str]] = [
    (80, "with-pay", "married-spouse-absent", "7th-8th"),
    (80, "with-pay", "married-spouse-absent", "HS-grad"),
    (80, "private",  "married-spouse-absent", "HS-grad"),
]
# Wong 2009, section 7.1, the second case: class sizes; all else known is the lone tuple's 1st-4th.
WONG_CASE33_SIZES = {
    (33, "self-emp-not-inc", "married-spouse-absent"): 1,
    (33, "private", "married-spouse-absent"): 17,
}
# fmt: on

# ------------------------------------------------------------------------------- Cormode 2010

# Cormode 2010, figure 1 (drawing lost; from the text): sizes of the groups published.
CORMODE_FIG1_TOTAL = 54
CORMODE_FIG1_SIZES = (6, 7, 14, 9, 9, 9)

# Cormode 2010, figure 6(a), one group made by greedy grouping, l = 2 binary: quasi-identifiers in
# order beside a sorted column of sensitive values, not tuples that belong together.
CORMODE_FIG6A_QI = ("a", "b", "c", "d")
CORMODE_FIG6A_SA = ("Negative", "Negative", "Positive", "Positive")
# Cormode 2010, appendix B: the only table that gives this group.
CORMODE_FIG6A_WORLD = [("a", "Positive"), ("b", "Positive"), ("c", "Negative"), ("d", "Negative")]

# Cormode 2010, figure 6(b), the same for strict Mondrian, and the two halves it considered.
CORMODE_FIG6B_QI = ("a", "b", "c", "c", "c", "d")
CORMODE_FIG6B_SA = ("Negative",) * 4 + ("Positive",) * 2
CORMODE_FIG6B_HALVES = (("a", "b"), ("c", "c", "c", "d"))
CORMODE_FIG6B_WORLD = [("a", "Positive"), ("b", "Positive")] + [
    (value, "Negative") for value in ("c", "c", "c", "d")
]

# ---------------------------------------------------------------------------------- Fung 2008

# fmt: off
# Fung 2008, table 1: release R1; RawBirthplace stands in brackets in the paper, not published.
FUNG_R1_COLUMNS = ("RID", "Birthplace", "Job", "Disease", "RawBirthplace", "RawJob")
FUNG_R1: list[tuple[str, str, str, str, str, str]] = [
    ("a1", "Europe", "Lawyer", "Flu", "UK",     "Lawyer"),
    ("a2", "Europe", "Lawyer", "Flu", "UK",     "Lawyer"),
    ("a3", "Europe", "Lawyer", "Flu", "UK",     "Lawyer"),
    ("a4", "Europe", "Lawyer", "HIV", "France", "Lawyer"),
    ("a5", "Europe", "Lawyer", "HIV", "France", "Lawyer"),
]
# Fung 2008, table 2: release R2 of both batches; b1 to b5 are a1 to a5, b6 to b10 are new.
FUNG_R2_COLUMNS = FUNG_R1_COLUMNS
FUNG_R2: list[tuple[str, str, str, str, str, str]] = [
    ("b1",  "UK",     "Professional", "Flu", "UK",     "Lawyer"),
    ("b2",  "UK",     "Professional", "Flu", "UK",     "Lawyer"),
    ("b3",  "UK",     "Professional", "Flu", "UK",     "Lawyer"),
    ("b4",  "France", "Professional", "HIV", "France", "Lawyer"),
    ("b5",  "France", "Professional", "HIV", "France", "Lawyer"),
    ("b6",  "France", "Professional", "HIV", "France", "Lawyer"),
    ("b7",  "France", "Professional", "Flu", "France", "Doctor"),
    ("b8",  "France", "Professional", "Flu", "France", "Doctor"),
    ("b9",  "UK",     "Professional", "HIV", "UK",     "Doctor"),
    ("b10", "UK",     "Professional", "HIV", "UK",     "Lawyer"),
]
# fmt: on
# Fung 2008, section 1: trees no larger than tables 1 and 2 need (the paper draws none).
FUNG_BIRTHPLACE = {"UK": "Europe", "France": "Europe"}
FUNG_JOB = {"Lawyer": "Professional", "Doctor": "Professional"}
# Fung 2008, after definition 4.1: classes of R1 and R2, comparable or not; Canada is not in Europe.
FUNG_COMPARABLE: list[tuple[tuple[str, str], tuple[str, str], bool]] = [
    (("Europe", "Lawyer"), ("UK", "Professional"), True),
    (("Europe", "Lawyer"), ("Canada", "Professional"), False),
]
# Fung 2008, example 3.1: buddies under two generators.
FUNG_GENERATOR_1 = [("a1", "b1"), ("a2", "b2"), ("a3", "b3"), ("a4", "b4"), ("a5", "b5")]
FUNG_GENERATOR_2 = [("a1", "b7"), ("a2", "b2"), ("a3", "b8"), ("a4", "b6"), ("a5", "b9")]

# Fung 2008, examples 3.2 and 4.1, target (France, Lawyer) at time 1: crack sizes in R1's class.
FUNG_F_CRACKS = {"Flu": 1, "HIV": 0}
# Fung 2008, examples 3.3 and 4.2, the same target: crack sizes in R2's class of France.
FUNG_C_CRACKS = {"Flu": 0, "HIV": 1}
# Fung 2008, examples 3.4 and 4.3, target (UK, Lawyer) at time 2: crack sizes in R2's class of UK.
FUNG_B_CRACKS = {"Flu": 1, "HIV": 0}
# Fung 2008, tables 1 and 2 (READINGS 28).
FUNG_FA, FUNG_CA, FUNG_BA = 4, 4, 4

# ---------------------------------------------------------------------------------- Chen 2009

# fmt: off
# Chen 2009, table 1(a).
CHEN_1A_COLUMNS = ("Name", "Age", "Gender", "ZipCode", "Disease")
CHEN_1A: list[tuple[str, int, str, str, str]] = [
    ("Ann",   20, "F", "12345", "AIDS"),
    ("Bob",   24, "M", "12342", "Flu"),
    ("Cary",  23, "F", "12344", "Flu"),
    ("Dick",  27, "M", "12343", "AIDS"),
    ("Ed",    35, "M", "12412", "Flu"),
    ("Frank", 34, "M", "12433", "Cancer"),
    ("Gary",  31, "M", "12453", "Flu"),
    ("Tom",   38, "M", "12455", "AIDS"),
]
# Chen 2009, table 1(b); names are printed but not published.
CHEN_1B_COLUMNS = ("Name", "Age", "Gender", "ZipCode", "Disease", "Group")
CHEN_1B: list[tuple[str, str, str, str, str, int]] = [
    ("Ann",   "2*", "*", "1234*", "AIDS",   1),
    ("Bob",   "2*", "*", "1234*", "Flu",    1),
    ("Cary",  "2*", "*", "1234*", "Flu",    1),
    ("Dick",  "2*", "*", "1234*", "AIDS",   1),
    ("Ed",    "3*", "M", "124**", "Flu",    2),
    ("Frank", "3*", "M", "124**", "Cancer", 2),
    ("Gary",  "3*", "M", "124**", "Flu",    2),
    ("Tom",   "3*", "M", "124**", "AIDS",   2),
]
# fmt: on
# Chen 2009, section 1: Tom and AIDS with nothing known; not Cancer; also Gary has Flu; also Ann's
# AIDS implies Tom's (the last value by READINGS 36).
CHEN_TOM_WALK = (Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3))
# Chen 2009, table 1(b): breach probability of AIDS by (l, k, m) (READINGS 36).
CHEN_1B_BREACH_AIDS = {(0, 0, 0): Fraction(1, 2), (1, 0, 0): Fraction(1)}

# fmt: off
# Chen 2009, section 2.1: a reconstruction of table 1(b) that only the multiset case allows.
CHEN_RECONSTRUCTION: dict[str, list[str]] = {
    "Ann": ["Flu", "Flu"], "Bob": ["AIDS"], "Cary": ["AIDS"], "Dick": [],
    "Ed": ["Cancer", "Flu"], "Frank": ["AIDS", "Flu"], "Gary": [], "Tom": [],
}
# fmt: on

# Chen 2009, section 3: five people, four Flu and one AIDS, one value each; AIDS has share 0.2.
CHEN_FIVE: tuple[tuple[str, ...], tuple[str, ...]] = (
    ("Ann", "Bob", "Cary", "Dick", "Ed"),
    ("Flu", "Flu", "Flu", "Flu", "AIDS"),
)
# Chen 2009, section 3: the larger group of the same share, (people, with AIDS).
CHEN_HUNDRED = (100, 20)

# Chen 2009, table 2: skyline points (l, k, m) of Exec-managerial in Adult at confidence 0.95.
CHEN_TABLE2 = {(0, 4, 0), (1, 3, 1), (2, 2, 2), (3, 1, 2), (2, 1, 3), (4, 0, 3), (3, 0, 4)}
