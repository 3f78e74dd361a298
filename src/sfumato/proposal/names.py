"""What the name of a column says, in English, German, French, Spanish, Italian and Dutch.

A name is taken apart (`birthDate`, `birth_date`, `geb.datum`), accents and digits are left out, and
its parts, and neighbours joined, are looked up. A star stands for any letters. Names are evidence,
not proof: `roles` weighs them with the values.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from functools import cached_property


class Role(Enum):
    """What a column may be proposed as. None of them is published untouched."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    NONE = "no role"


@dataclass(frozen=True)
class Subject:
    """What columns can be about, with the words that say so.

    >>> meaning("Geburtsdatum").about, meaning("fatheduc").about, meaning("x1")
    ('birth', 'education', None)
    """

    about: str
    role: Role
    words: str

    @cached_property
    def _written(self) -> re.Pattern[str]:
        return re.compile("|".join(word.replace("*", ".*") for word in self.words.split()))

    def says(self, part: str) -> bool:
        """Whether a part of a name is one of the words."""
        return self._written.fullmatch(part) is not None


NUMBERS, PERSON, PLACE_OF_PERSON = "numbers of records", "people", "addresses"
IDENTIFYING = (
    Subject(
        "names",
        Role.IDENTIFIER,
        "name names fullname surname lastname firstname forename givenname middlename "
        "maidenname vorname* nachname* zuname familienname geburtsname nom prenom* nombre* "
        "apellido* cognome naam voornaam achternaam shortname longname nickname",
    ),
    Subject(
        "record numbers",
        Role.IDENTIFIER,
        "id ids pid uid uuid guid idnum idnumber pidnum personid patientid seqn seqno seqnum "
        "rowname rownames rowid rownum unnamed obsno mrn caseid casenumber caseno casenum "
        "recordid recordno studyid subjectid participantid respondentid hhid aktenzeichen "
        "fallnummer patientennummer kundennummer personalnummer matrikel* mitgliedsnummer "
        "versichertennummer lfdnr laufendenummer numerodossier expediente",
    ),
    Subject(
        "official numbers",
        Role.IDENTIFIER,
        "ssn socialsecurity* nino nhsnumber svnr sozialversicherung* ahv* steuerid "
        "steuernummer passport* reisepass* ausweis* licen[cs]eno licen[cs]eplate kennzeichen "
        "numberplate nir dni nie nif curp rut cpf bsn codicefiscale iban bic kontonummer "
        "accountnumber cardnumber kreditkarte*",
    ),
    Subject(
        "contacts",
        Role.IDENTIFIER,
        "email emails mail mailadresse emailaddress correo courriel phone* telephone* "
        "telefon* tel mobile mobil handy* fax url website homepage ip ipaddress login "
        "username userid twitter instagram",
    ),
    Subject(
        "coordinates",
        Role.IDENTIFIER,
        "lat latitude lon lng longitude xcoord ycoord coord* gps* geocode easting northing",
    ),
)
# These are identifiers where there are many of them.
PERHAPS = (
    Subject("names", Role.IDENTIFIER, "first last"),
    Subject(
        PERSON,
        Role.IDENTIFIER,
        "user customer client patient person subject respondent participant member kunde "
        "patient* proband mitglied teilnehmer cliente abonne versicherter student pupil",
    ),
    Subject(
        NUMBERS,
        Role.IDENTIFIER,
        "nr no num number nummer numero case account konto card record key code index ref "
        "reference seq serial",
    ),
    Subject(
        PLACE_OF_PERSON,
        Role.IDENTIFIER,
        "address* adres* anschrift strasse* str street* rue calle direccion domicilio "
        "indirizzo hausnummer wohnadresse",
    ),
)
# Read as a coordinate where its values are written like one.
LONGITUDE = (Subject("coordinates", Role.IDENTIFIER, "long lat x y coord.*"),)
# Looked at in this order: what is about health and also about birth is about health.
SUBJECTS = (
    Subject(
        "health",
        Role.SENSITIVE,
        "birthweight* bwght* *bwght* bwt lowbirth* birthcontrol nervous* healthins* "
        "ageatdeath weightloss",
    ),
    Subject(
        "age",
        Role.QUASI_IDENTIFIER,
        "age ages agegroup agegrp agecat ageclass ageband ageyr ageyrs ageyears agemo "
        "agemonths fage mage alter alters* lebensalter edad eta leeftijd idade annees",
    ),
    Subject(
        "sex",
        Role.QUASI_IDENTIFIER,
        "sex gender geschlecht sexe sexo genero genre geslacht sesso male female males "
        "females man woman men women mann frau homme femme hombre mujer weiblich mannlich "
        "maennlich anrede salutation civilite",
    ),
    Subject(
        "birth",
        Role.QUASI_IDENTIFIER,
        "birth* born dob yob geb geburt* geboren naiss* nacimiento nacido nascita geboorte*",
    ),
    Subject(
        "money",
        Role.SENSITIVE,
        "income* *income inc faminc appinc realinc realrinc *einkommen* einkuenfte revenu* "
        "ingreso* renta reddito inkomen salar* gehalt* salaire* sueldo stipendio wage* lwage "
        "hrwage lohn* nomina earn* *earn* verdienst pay pays payment* payroll lwg debt* "
        "schuld* deuda* dette* credit* kredit* loan* mortgage* hypothek* darlehen bank* "
        "wealth vermogen* vermoegen* asset* nettfa saving* balance saldo tax steuer* impot* "
        "impuesto* pension* rente* retraite benefit* bonus financ* capital* poverty poor rich "
        "fare spend* expend* ausgaben bill amount betrag montant importe price* value wert "
        "insur* versicher* seguro assurance deny denied default risk donat* purchase* umsatz "
        "alg sozialhilfe welfare allowance",
    ),
    Subject(
        "health",
        Role.SENSITIVE,
        "diagn* disea* illness* krank* maladie* enferm* health* hlth* *hlth gesund* sante "
        "salud* hiv* aids cancer* krebs tumor* tumour* tsize tgrade pnodes diabet* asthma* "
        "hepat* hepato blood* blut* chol cholest* bp sbp dbp sysbp diasbp trestbps pressure "
        "hbp* bmi weight wt wtkg wtloss gewicht poids peso symptom* treat* trt behandl* "
        "therap* medic* medik* drug* meds pharma* surg* operation* transplant* stage staging "
        "tumorstage death* dead died dth tod todes* deces muerte surviv* mort* disab* behind* "
        "handicap* invalid* smok* *smoker rauch* tabac* cig cigs cigar* packs alcohol* "
        "alkohol* drink* pregn* schwanger* embarazo menopaus* menostat hormon* pain* schmerz* "
        "infect* allerg* psych* depress* mental* icd* karno* *karno ecog creat* kreat* "
        "albumin alb bili* platelet* hgb hemo* glucose gluc* ecg restecg heart herz* cardi* "
        "kidney niere* lung* liver leber vacc* impf* doctor* arzt* hospitali* visits gained "
        "premie gestation symptome befund* therapie* bronch* colitis polio tb ulcer* *ulcer "
        "headache* nerves cough* hayfever ascites edema remission relapse recur* cens censor* "
        "cd4* biops* lesion* thal thalach angina exang chf cvd mgus habit sick* los impair* "
        "allergie* covid* comorb*",
    ),
    Subject(
        "crime",
        Role.SENSITIVE,
        "crime* crimin* arrest* prison* jail* offen[sc]e* offend* convict* charge* felony "
        "felon* misd* prior* recid* *recid parole* paro prio sentence* custody delit* straf* "
        "vorstraf* verurteil* condena* citation* search* victim* murder* homicide* violen*",
    ),
    Subject(
        "belief or life",
        Role.SENSITIVE,
        "relig* konfession* confession glaube* faith church kirche partei* party pid politic* "
        "polit* vote* voting wahl* voto* union gewerkschaft* syndicat* sindicato sexual* homo "
        "orientation affair* naffairs statusquo leftright selflr ideolog* marriagerat* "
        "ratemarr",
    ),
    Subject(
        "marks",
        Role.SENSITIVE,
        "score* *score gpa *gpa iq sat test* exam* note noten zensur* mark marks evaluation "
        "bewertung* rating* rate punkte puntaje nota happy* happi* satisf* zufrieden* unhap*",
    ),
    Subject(
        "origin",
        Role.QUASI_IDENTIFIER,
        "race* raza rasse ethnic* ethni* etnia hautfarbe black* white* nonwhite hisp "
        "hispanic* latino* asian* afam afr caucas* indigen* nation* citizen* staatsang* "
        "burgerschaft buergerschaft herkunft* country land pays pais origin* immigr* migra* "
        "native nativ* lang language* sprache* muttersprache langue idioma lingua foreign* "
        "auslander auslaender",
    ),
    Subject(
        "postal codes",
        Role.QUASI_IDENTIFIER,
        "zip zipcode plz postleitzahl postal* postcode* codepostal codigopostal cap npa postcd",
    ),
    Subject(
        "place",
        Role.QUASI_IDENTIFIER,
        "city cities town village* vill villnum villid municip* gemeinde* ort wohnort* "
        "ortsteil stadt* commune ville ciudad localidad comune gemeente county counties "
        "region* state states province* prov provinz provinc* departement department* depart* "
        "canton kanton bundesland district* bezirk* borough* neighbo* quartier barrio "
        "precinct* *precinct tract block urban* rural* othrural smsa* msa metro* south* "
        "north* northcen nrthcen nrtheast east* west west* location* standort residen* wohn* "
        "homeown* tenant* housing home place* lieu lugar area popul population inst "
        "institution* hospital* clinic* klinik* station ward campus site centre center team* "
        "branch filiale embark* deck stratum address* adres*",
    ),
    Subject(
        "family",
        Role.QUASI_IDENTIFIER,
        "marit* marri* marry marr mar wed familienstand zivilstand etatcivil "
        "situationfamiliale estadocivil verheiratet ledig soltero casado single divorc* "
        "widow* separated cohab* nevermarr* spous* husb* wife wives *husb famil* hh "
        "household* haushalt* hogar menage* fsize famsize hsize hhsize child* kid kids "
        "kinder* kind enfant* hijo* figli* numdep depend* sibling* sibsp parch parent* "
        "mother* father* mutter vater parity relationship yrsmarr yngkid matur*",
    ),
    Subject(
        "education",
        Role.QUASI_IDENTIFIER,
        "*educ* edu *educat* bildung* schul* school* *school ecole escuela instruccion "
        "abschluss* ausbildung* diplom* degree* nodegree college* colleg* collgrad grad "
        "graduate* universit* hochschul* studi* etudes estudios formation literacy literate "
        "class klasse grade soph junior senior major fach",
    ),
    Subject(
        "work",
        Role.QUASI_IDENTIFIER,
        "occup* *occup occ *occ beruf* profession* profesion* prof* metier oficio ocupacion "
        "job jobs jobtitle empleo emploi *employ* emp empl job* worker* wrk* beschaeftig* "
        "beschaftig* selfemp* workclass wrkstat worktype arbeit* taetigkeit tatigkeit "
        "stellung industr* branche sector sektor construc* manuf* ndurman trcommpu trade "
        "services serv *serv tenure dienst* exper* experience wexp erfahrung lfp inlf "
        "labou?rforce position firm firms* company firma entreprise empresa military veteran* "
        "rank jobcat",
    ),
    Subject(
        "body",
        Role.QUASI_IDENTIFIER,
        "height* hgt grosse groesse taille talla estatura korpergroesse koerpergroesse "
        "haircolo* hair handed* eyecolo* augenfarbe haarfarbe",
    ),
    Subject(
        "time",
        Role.QUASI_IDENTIFIER,
        "date* *date datum* *datum fecha* dates year yr jahr* annee ano anno yrdth modth "
        "dadth month monat mois quarter quartal trimestre admission* entlassung* aufnahme*",
    ),
)
_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z]+")


@dataclass(frozen=True)
class Meaning:
    """What a name says, and by which part of it."""

    about: str
    role: Role
    word: str


def parts_of(name: str) -> tuple[str, ...]:
    """Take a name apart: its words, neighbours joined, and all of it.

    >>> parts_of("Date of Birth"), parts_of("fac_sex")
    (('date', 'of', 'birth', 'dateof', 'ofbirth', 'dateofbirth'), ('fac', 'sex', 'facsex'))
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    words = [word.lower() for word in _BOUNDARY.split(plain) if word]
    pairs = [a + b for a, b in itertools.pairwise(words)]
    return tuple(dict.fromkeys([*words, *pairs, *(["".join(words)] if words else [])]))


def meaning(name: str, among: tuple[Subject, ...] = SUBJECTS) -> Meaning | None:
    """Say what a column's name means; the first subject that has a word for a part of it."""
    parts = parts_of(name)
    for subject in among:
        for part in parts:
            if subject.says(part):
                return Meaning(subject.about, subject.role, part)
    return None
