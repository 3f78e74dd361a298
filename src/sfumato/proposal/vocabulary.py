"""Words in names of columns, and in values, with what they are about, in six languages.

English, German, French, Spanish, and some Italian and Dutch. The lists follow what rules and
surveys name: the eighteen kinds of HIPAA's safe harbour, the variables of censuses, of personnel,
school and credit files, of social surveys and of police records.
"""

from __future__ import annotations

import re
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
    """What columns can be about, with the words that say so; a star stands for any letters.

    Some words name one of the eighteen kinds of identifiers of HIPAA's safe harbour: `letter` is
    that of 45 CFR 164.514(b)(2)(i).

    >>> family = Subject("family", Role.QUASI_IDENTIFIER, "marri* wed *husb")
    >>> family.says("married"), family.says("wedding")
    (True, False)
    >>> family.whole, family.stems
    (('wed',), ('marri',))
    """

    about: str
    role: Role
    words: str
    letter: str = ""

    @cached_property
    def _written(self) -> re.Pattern[str]:
        return re.compile("|".join(word.replace("*", ".*") for word in self.words.split()))

    @cached_property
    def whole(self) -> tuple[str, ...]:
        """The words that are written out."""
        return tuple(word for word in self.words.split() if word.isalpha())

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The beginnings of words that may end in any way."""
        return tuple(w[:-1] for w in self.words.split() if w[-1] == "*" and w[:-1].isalpha())

    def says(self, part: str) -> bool:
        """Whether a part of a name is one of the words."""
        return self._written.fullmatch(part) is not None


NUMBERS, PERSON, PLACE_OF_PERSON = "numbers of records", "people", "addresses"
IDENTIFYING = (
    Subject(
        "names",
        Role.IDENTIFIER,
        "name names *name fullname surname lastname firstname forename givenname middlename "
        "maidenname vorname* nachname* zuname familienname geburtsname nom prenom* nombre* "
        "apellido* cognome naam *naam voornaam achternaam shortname longname nickname initials "
        "signature unterschrift",
        "A",
    ),
    Subject(
        "record numbers",
        Role.IDENTIFIER,
        "mrn medicalrecord* patientid patientennummer fallnummer recordid recordno "
        "numerodossier expediente dossier chartno hospitalno",
        "H",
    ),
    Subject(
        "record numbers",
        Role.IDENTIFIER,
        "memberid membershipno mitgliedsnummer versichertennummer beneficiaryno beneficiaryid "
        "subscriberid policyno policynumber insuranceno insurancenumber healthplanid",
        "I",
    ),
    Subject(
        "record numbers",
        Role.IDENTIFIER,
        "id ids pid uid uuid guid idnum idno idcode idnumber pidnum personid seqn seqno seqnum "
        "rowname rownames rowid rownum unnamed obsno caseid casenumber caseno casenum studyid "
        "subjectid participantid respondentid hhid aktenzeichen kundennummer personalnummer "
        "matrikel* lfdnr laufendenummer employeeid empid employeeno employeenumber staffid "
        "staffno studentid studentno customerid clientid voterid teacherid playerid invoiceno "
        "ticketno",
        "R",
    ),
    Subject(
        "official numbers",
        Role.IDENTIFIER,
        "ssn socialsecurity* nino nhsnumber svnr sozialversicherung* ahv* steuerid steuernummer "
        "nir dni nie nif curp rut cpf bsn codicefiscale taxid nationalid personnummer",
        "G",
    ),
    Subject(
        "official numbers",
        Role.IDENTIFIER,
        "iban bic kontonummer accountnumber accountno accountid cardnumber kreditkarte* "
        "bankaccount bankkonto",
        "J",
    ),
    Subject(
        "official numbers",
        Role.IDENTIFIER,
        "passport* reisepass* ausweis* licen[cs]eno licen[cs]enumber certificateno "
        "certificatenumber drivers?licen[cs]e drivinglicen[cs]e fuehrerschein* fuhrerschein* "
        "permisdeconduire",
        "K",
    ),
    Subject(
        "official numbers",
        Role.IDENTIFIER,
        "licen[cs]eplate kennzeichen numberplate platenumber vin vehicleid",
        "L",
    ),
    Subject(
        "official numbers",
        Role.IDENTIFIER,
        "imei macaddress deviceid serialnumber serialno",
        "M",
    ),
    Subject(
        "official numbers",
        Role.IDENTIFIER,
        "fingerprint* voiceprint* faceprint* palmprint* biometr* irisscan retinascan",
        "P",
    ),
    Subject("official numbers", Role.IDENTIFIER, "photo photos photograph* headshot* selfie*", "Q"),
    Subject("contacts", Role.IDENTIFIER, "fax faxno faxnumber telefax", "E"),
    Subject("contacts", Role.IDENTIFIER, "phone* telephone* telefon* tel mobile mobil handy*", "D"),
    Subject(
        "contacts",
        Role.IDENTIFIER,
        "email emails mail mailadresse emailaddress correo courriel",
        "F",
    ),
    Subject("contacts", Role.IDENTIFIER, "url website homepage", "N"),
    Subject("contacts", Role.IDENTIFIER, "ip ipaddress", "O"),
    Subject(
        "contacts",
        Role.IDENTIFIER,
        "login username userid twitter instagram facebook screenname",
        "R",
    ),
    Subject(
        "coordinates",
        Role.IDENTIFIER,
        "lat latitude lon lng longitude xcoord ycoord coord* gps* geocode easting northing",
        "B",
    ),
)
# Whom somebody is by trade: a column so called is about work, or names these people.
TRADES = (
    "developer* designer* scientist* administrator* engineer* analyst* programmer* "
    "specialist* consultant* accountant* auditor* lawyer* attorney* architect* electrician* "
    "plumber* carpenter* mechanic* technician* operator* machinist* salesman* saleswom* "
    "cashier* waiter* waitress* cook cooks chef* baker bakers barber* hairdress* cleaner* "
    "janitor* guard guards fireman firefight* policeman fisher* miner miners blacksmith* "
    "tailor* weaver* shoemaker* servant* maid maids merchant* trader* shopkeep* broker* "
    "banker* economist* journalist* editor* writer* artist* musician* actor* singer* "
    "librarian* nurse* dentist* pharmacist* veterinar* professor* lecturer* researcher* "
    "clergy* priest* pilot pilots steward* sailor* seaman driver drivers chauffeur* "
    "labou?rer* foreman craftsman craftsmen artisan* manager* director* ceo cfo secretary "
    "secretaries receptionist* typist* ingenieur* lehrer* aerzt* pfleger* verkaeufer* "
    "handwerker* arbeiter* angestellt* beamt* landwirt* ouvrier* employe* cadre* enseignant* "
    "medecin* infirmi* obrero* maestro* medico* enfermer* agricultor*"
)
# These are identifiers where there are many of them.
PERHAPS = (
    Subject("names", Role.IDENTIFIER, "first last", "A"),
    Subject(
        PERSON,
        Role.IDENTIFIER,
        "user customer client patient person subject respondent participant member kunde "
        "patient* proband mitglied teilnehmer cliente abonne versicherter student pupil player "
        "employee interviewee informant prof teacher interviewer officer judge physician " + TRADES,
        "R",
    ),
    Subject(NUMBERS, Role.IDENTIFIER, "account konto card", "J"),
    Subject(NUMBERS, Role.IDENTIFIER, "beneficiary policy", "I"),
    Subject(NUMBERS, Role.IDENTIFIER, "plate plates", "L"),
    Subject(NUMBERS, Role.IDENTIFIER, "licen[cs]e licen[cs]es certificate", "K"),
    Subject(NUMBERS, Role.IDENTIFIER, "serial", "M"),
    Subject(
        NUMBERS,
        Role.IDENTIFIER,
        "nr no num number nummer numero case record key code index ref reference seq "
        "*nummer *number ticket",
        "R",
    ),
    Subject(
        PLACE_OF_PERSON,
        Role.IDENTIFIER,
        "address* adres* anschrift strasse* str street* rue calle direccion domicilio indirizzo "
        "hausnummer wohnadresse",
        "B",
    ),
)
# Read as a coordinate where its values are written like one.
LONGITUDE = (Subject("coordinates", Role.IDENTIFIER, "long lat x y coord.*", "B"),)
# Looked at in this order: what is about health and also about birth is about health.
SUBJECTS = (
    Subject("work", Role.QUASI_IDENTIFIER, TRADES),
    Subject("money", Role.SENSITIVE, "krankenkasse* krankenversicher* krankengeld mutuelle*"),
    Subject(
        "health",
        Role.SENSITIVE,
        "birthweight* bwght* *bwght* bwt lowbirth* birthcontrol nervous* healthins* ageatdeath "
        "weightloss bloodgroup bloodtype sexualhealth",
    ),
    Subject(
        "age",
        Role.QUASI_IDENTIFIER,
        "age ages agegroup agegrp agecat ageclass ageband agerange ageyr ageyrs ageyears agemo "
        "agemonths fage mage alter alters* lebensalter edad eta leeftijd idade annees adult "
        "adults minor elderly youth* old older oldest young younger youngest adolesc* teen "
        "teens teenage* retirementage agecohort agebracket ridageyr prtage agekdbrn agegr* "
        "ageatmar* agemarr* agefirst*",
    ),
    Subject(
        "sex",
        Role.QUASI_IDENTIFIER,
        "sex gender geschlecht geschl sexe sexo genero genre geslacht sesso male female males "
        "females man woman men women mann frau homme femme hombre mujer weiblich mannlich "
        "maennlich anrede salutation civilite boy boys girl girls gend gndr fem fml femal* masc* "
        "malefem manwoman pesex riagendr",
    ),
    Subject(
        "birth",
        Role.QUASI_IDENTIFIER,
        "birth* born dob yob geb geburt* geboren naiss* nacimiento nacido nascita geboorte* "
        "bornin jahrgang bpl bplace brthplc* pob cob",
    ),
    Subject(
        "money",
        Role.SENSITIVE,
        "income* *income inc faminc appinc realinc realrinc *einkommen* einkuenfte revenu* "
        "ingreso* renta reddito inkomen salar* gehalt* salaire* sueldo stipendio wage* lwage "
        "hrwage lohn* nomina earn* *earn* verdienst pay pays payment* payroll lwg debt* schuld* "
        "deuda* dette* credit* kredit* loan* mortgage* hypothek* darlehen bank* wealth "
        "vermogen* vermoegen* asset* nettfa saving* balance saldo tax steuer* impot* impuesto* "
        "pension* rente* retraite benefit* bonus financ* capital* poverty poor rich fare spend* "
        "expend* ausgaben bill amount betrag montant importe price* value wert insur* "
        "versicher* seguro assurance deny denied default risk donat* purchase* umsatz alg "
        "sozialhilfe welfare allowance cost costs kosten expense* stock* invest* budget "
        "scholarship* stipend* foodstamp* medicaid subsid* rechnung* cout couts coste* costo* prix",
    ),
    Subject(
        "health",
        Role.SENSITIVE,
        "diagn* disea* illness* krank* maladie* enferm* health* hlth* *hlth gesund* sante "
        "salud* hiv* aids cancer* krebs tumor* tumour* tsize tgrade pnodes diabet* asthma* "
        "hepat* hepato blood* blut* chol cholest* bp sbp dbp sysbp diasbp trestbps pressure "
        "hbp* bmi weight wt wtkg wtloss gewicht poids peso symptom* treat* trt behandl* therap* "
        "medic* medik* drug* meds pharma* surg* operation* transplant* stage staging tumorstage "
        "death* dead died dth tod todes* deces muerte surviv* mort* disab* behind* handicap* "
        "invalid* smok* *smoker rauch* tabac* tobacco cig cigs cigar* packs alcohol* alkohol* "
        "drink* pregn* schwanger* embarazo menopaus* menostat hormon* pain* schmerz* infect* "
        "allerg* psych* depress* mental* icd* karno* *karno ecog creat* kreat* albumin alb "
        "bili* platelet* hgb hemo* glucose gluc* ecg restecg heart herz* cardi* kidney niere* "
        "lung* liver leber vacc* impf* doctor* arzt* hospitali* visits gained premie gestation "
        "symptome befund* therapie* bronch* colitis polio tb ulcer* *ulcer headache* nerves "
        "cough* hayfever ascites edema remission relapse recur* cens censor* cd4* biops* "
        "lesion* thal thalach angina exang chf cvd mgus habit sick* los impair* allergie* "
        "covid* comorb* chronic* anxiety addict* abus* suicid* injur* obes* diet* fertil* "
        "abort* stroke *itis syndrome* physician* dose* dosage pulse marijuana cannabis cocaine "
        "heroin insulin sleep* stress* *aemia *nemia *kemia verweildauer liegedauer sejour",
    ),
    Subject(
        "crime",
        Role.SENSITIVE,
        "crime* crimin* arrest* prison* jail* offen[sc]e* offend* convict* charge* felony "
        "felon* misd* prior* recid* *recid parole* paro prio sentence* custody delit* straf* "
        "vorstraf* verurteil* condena* citation* search* victim* murder* homicide* violen* "
        "guilty verdict theft weapon* gang warrant* probation",
    ),
    Subject(
        "belief or life",
        Role.SENSITIVE,
        "relig* konfession* confession glaube* faith church kirche partei* party pid politic* "
        "polit* vote* voting wahl* voto* union gewerkschaft* syndicat* sindicato sexual* homo "
        "orientation affair* naffairs statusquo leftright selflr ideolog* marriagerat* ratemarr "
        "attitude* opinion* belief* democrat* republican* candidate catholic* protestant* "
        "muslim* jewish christian* god pray* trust* homeless*",
    ),
    Subject(
        "marks",
        Role.SENSITIVE,
        "score* *score gpa *gpa iq sat act test* exam* note noten zensur* mark marks evaluation "
        "bewertung* rating* rate punkte puntaje nota happy* happi* satisf* zufrieden* unhap* "
        "performance leistung* involvement motivation math* reading writing verbal aptitude "
        "esteem efficacy selfcontrol selfreport* personality neurotic* extrav* conscien* "
        "agreeab* aggress*",
    ),
    Subject(
        "origin",
        Role.QUASI_IDENTIFIER,
        "race* *race raza rasse ethn* etnia hautfarbe black* white* nonwhite hisp hispanic* "
        "latino* latin[ao]s asian* afam afr african* caucas* indigen* aborig* nation* citizen* "
        "staatsang* burgerschaft buergerschaft herkunft* country land pays pais origin* immigr* "
        "migra* migrant* emigr* refugee* fluechtling* native nativ* lang language* sprache* "
        "muttersprache langue idioma lingua foreign* auslander auslaender minorit* caste tribe* "
        "tribal clan ancestry descent visa demograph* demo skincolo* complexion generation eth "
        "blk wht nonhisp* mex mexican* chinese indian* natam amerind* alien imm immig* forborn "
        "natl newcomer* roma colou?r colou?red mestizo mulatto settler* dialect* bilingual "
        "mothertongue anglo* francoph* usborn fborn foreignborn bornus firstgen secondgen esl "
        "ell lep nonnative nonenglish yearsinus raced ridreth* hispan ancestr* brncntr ctzcntr "
        "yrimmig yrnatur yrsusa* speakeng dmdborn* parborn granborn citz hispan* natborn",
    ),
    Subject(
        "postal codes",
        Role.QUASI_IDENTIFIER,
        "zip zipcode plz postleitzahl postal* postcode* codepostal codigopostal cap npa postcd",
        "B",
    ),
    # Smaller than a state; then what is as large, or says no place.
    Subject(
        "place",
        Role.QUASI_IDENTIFIER,
        "city cities town village* vill villnum villid municip* gemeinde* ort wohnort* ortsteil "
        "stadt* commune ville ciudad localidad comune gemeente county counties district* "
        "bezirk* borough* neighbo* nbhd hood quartier barrio precinct* *precinct tract "
        "landkreis kreis parish street* locality cty cnty county* countyfip* fips cbsa puma "
        "smsa* msa metarea address* adres* constituenc* wahlkreis pwcounty",
        "B",
    ),
    Subject(
        "place",
        Role.QUASI_IDENTIFIER,
        "region* state states province* prov provinz provinc* departement department* dept* "
        "depart* canton kanton bundesland block urban* rural* othrural metro* south* north* "
        "northcen nrthcen nrtheast east* west west* location* standort residen* wohn* homeown* "
        "tenant* housing home place* lieu lugar area popul population inst institution* "
        "hospital* clinic* klinik* station ward campus site centre center team* branch filiale "
        "embark* deck stratum census* nuts* suburb* farm* ranch zone sector* beat agency court "
        "judge continent division office* facilit* destination port cabin seat floor dorm* "
        "dwelling house houses renter* rooms bedrooms owner* own lodging apartment* miete "
        "eigentum logement vivienda club league migration moved commut* territor* island* "
        "coast* rented reg rgn urb rur ne nw sw nc mw midw* midatl* neng* pacif* mountain* "
        "capital downtown homeoffice remote* telework* citysize hhloc geo geog* shelter* "
        "hostel* mobilehome lives living livesin livealone dwell* hometype lease landlord "
        "squat* venue embass* embassy origincity airport* terminal route flight platform gate "
        "distance* locale bigcity smallcity rururb central coastal highland* lowland* storey "
        "store stores warehouse plant plants establishment* statefip* gq ownershp builtyr "
        "unitsstr pwstate migplac* migrate* domicil dwelown srcbelt xnorcsiz gestfips tenancy "
        "siteid cluster ea psu strata own* dist pop popn popdens* sizeplace density "
        "socialhousing",
    ),
    Subject(
        "family",
        Role.QUASI_IDENTIFIER,
        "marit* marri* marry marr mar mstat* wed familienstand zivilstand etatcivil "
        "situationfamiliale estadocivil verheiratet ledig soltero casado single divorc* widow* "
        "separated cohab* nevermarr* spous* husb* wife wives *husb famil* hh household* "
        "haushalt* hogar menage* fsize famsize hsize hhsize child* kid kids kinder* kind "
        "enfant* hijo* figli* numdep depend* sibling* sibsp parch parent* mother* father* "
        "mutter vater parity relationship relation relative* yrsmarr yngkid matur* baby babies "
        "infant* son sons daughter* brother* sister* bros sibs twin* firstborn partner* couple "
        "bride groom fiance* engaged kin orphan* guardian gravid* mom mum dad grandparent* pet "
        "pets fam dep deps mrd marstat wid remarr* unmarr* spse chld* chldr* prnt* momed daded "
        "stepfather stepmother foster* adopt* oldestchild ancest* inlaw* nephew* niece* cousin* "
        "uncle* aunt* grandchild* heir* headship hoh bachelor spinster newborn* firstchild "
        "persons members hhmem* roommate* youngkids oldkids nadults evermarr* nevmar* divsep "
        "marrstat civil* civstat livingtogether birthorder bord nulliparous twins nfams "
        "ncouples nchild* nchlt* nsib* eldch yngch relate related marst* marrno martype msp "
        "spwrksta hompop preteen teens hhmmb dmdmartl dmdhhsiz ceb twn "
        "legitim* alone plural* parous nullipar* primipar* birthord* moth fath lineage",
    ),
    Subject(
        "education",
        Role.QUASI_IDENTIFIER,
        "*educ educ* edlev* edattain* *edu *educat* bildung* schul* school* *school ecole "
        "escuela instruccion abschluss* ausbildung* diplom* degree* nodegree college* colleg* "
        "collgrad grad graduat* universit* hochschul* studi* etudes estudios formation literacy "
        "literate class klasse grade soph* freshm* junior senior major fach isced qualific* phd "
        "doctorate bachelor* master* undergrad* postgrad* faculty facultad fakultat fakultaet "
        "discipline course curricul* enrol* alumn* semester cohort section kindergarten "
        "preschool teacher* academic* vocational apprentice* dropout illiter* highsch* hsgrad "
        "classroom ed sch schl yrsch yrsed edyrs eduyrs deg coll hs lths hsd somecol* elem "
        "elementary primary secondary tertiary pupils ba msc mba academ* faculties institute* "
        "yeargrad gradyear lectur* professor* honors honours valedict* thesis dissertation "
        "matric* readlevel schooltype tutor* mentor* seminar* stud gifted magnet charterschool "
        "aide transfer* varsity athlet* sport* fraternity sorority classsize schoolsize "
        "hometaught freshers repeater* repeatgrade educd eisced gradeatt degfield schltype "
        "paeduc maeduc speduc pared mared fared coed dmdeduc* yos gradelvl gradelevel highgrade "
        "hgc retained repeat* skipped schtyp* schooltyp* socialclass socclass",
    ),
    Subject(
        "work", Role.QUASI_IDENTIFIER, "employer* company companies firma entreprise empresa", "A"
    ),
    Subject(
        "work",
        Role.QUASI_IDENTIFIER,
        "occup* *occup occ *occ beruf* profession* profesion* prof* metier oficio ocupacion job "
        "jobs jobtitle empleo emploi *employ* emp empl job* work* wrk* beschaeftig* beschaftig* "
        "selfemp* workclass wrkstat worktype arbeit* taetigkeit tatigkeit stellung industr* "
        "branche sector sektor construc* manuf* ndurman trcommpu trade service services serv "
        "*serv tenure dienst* exper* experience wexp erfahrung lfp inlf labou?rforce position "
        "firm firms* compan* firma entreprise empresa military veteran* rank jobcat seniorit* "
        "senior tenured title titel role career* manag* supervis* boss promot* hire* hiring "
        "shift fulltime parttime permanent temporary contract* isco* nace* naics* businessunit "
        "business travel* bluecoll* collar* whitecoll* unemp* retire* housewife homemaker "
        "labou?r staff appoint* farmer* clerical clerk* craft* executive* army navy soldier* "
        "regiment specialt* abteilung* funktion function nonprofit retail agricult* mining "
        "transport* government *govt govt lf lfs uemp* unem* retd mgr cler agric* mil vet vets "
        "socio* ses isei siops prestige ft pt jobless employer* colleague* coworker* workplace "
        "worksite unioncov sales salesm* intern interns* trainee* freelanc* entrepreneur* "
        "practice* practis* licensed certified cert guild ministry bureau deploy* enlist* "
        "conscript* drafted officer officers crew corps platoon battalion politician* senator* "
        "deputy minister mayor* elected incumb* terms servedyears appointed nominat* coach* "
        "captain* goalkeeper defender midfield* striker pitcher batting league* roster draft "
        "rookie debut* fachbereich participation nlf working worked manual nonmanual skilled "
        "unskilled semiskilled pubsec privsec publicsector privatesector self lotnum membership "
        "medal* outofwork empstat labforce classwkr ind indus* wrklstwk tranwork carpool "
        "vetstat mainact emplrel nacer* evwork pawrkslf ttlexp expr wkexp ppexp exp occp "
        "inwf workforce surgeon* socioecon*",
    ),
    Subject(
        "body",
        Role.QUASI_IDENTIFIER,
        "height* hgt ht grosse groesse taille talla estatura korpergroesse koerpergroesse "
        "haircolo* hair handed* lefthand* righthand* eyecolo* eye eyes augenfarbe haarfarbe "
        "glasses beard tattoo* bodytype shoe* jersey bats throws footed dominant* hand hnd "
        "handedness physique eyesight bald blond* gait voice hand* *hand lefty",
    ),
    Subject(
        "belongings",
        Role.QUASI_IDENTIFIER,
        "car cars vehicle* license* licence* motorcycle* bicycle* bike* auto pet pets dog dogs "
        "boat horse* bikes owns ownership caravan tv tvs television* radio* refriger* fridge "
        "electric* toilet* latrine pipedwater stove cooker washing* generator livestock cattle "
        "goat* roof wall walls sewing",
    ),
    # Parts of a date that are not its year; then the others.
    Subject(
        "time",
        Role.QUASI_IDENTIFIER,
        "month monat mois quarter quartal trimestre weekday wochentag dayofweek season saison "
        "day monthof dayof weekof qtr",
        "C",
    ),
    Subject(
        "time",
        Role.QUASI_IDENTIFIER,
        "date* *date datum* *datum fecha* dates year yr jahr* annee ano anno yrdth modth dadth "
        "admission* entlassung* aufnahme* decade arriv* departure entry discharge* joined "
        "registered yearof semester enrolled enrolment graduationyear hiredate startdate "
        "enddate yearof*",
    ),
    Subject(
        "years of something",
        Role.QUASI_IDENTIFIER,
        "years yrs jahre ans anni anos jaren yearsin yrsin yearsof yrsof nyears nyrs",
    ),
)
# What values say in words, where the name of their column says nothing.
VALUES = (
    Subject(
        "belief or life",
        Role.SENSITIVE,
        "catholic protestant christian muslim islam jewish hindu buddhist atheist agnostic "
        "katholisch evangelisch muslimisch konfessionslos democrat republican conservative "
        "liberal labour socialist cdu spd heterosexual homosexual bisexual gay lesbian",
    ),
    Subject(
        "origin",
        Role.QUASI_IDENTIFIER,
        "american german french spanish italian dutch turkish polish russian chinese indian "
        "japanese mexican british irish english deutsch turkisch polnisch arabic african "
        "european usa germany france spain italy netherlands belgium austria switzerland poland "
        "russia china india japan mexico canada brazil argentina england scotland ireland wales "
        "sweden norway denmark finland portugal greece turkey ukraine australia africa asia "
        "europe oceania egypt nigeria kenya israel iran iraq korea vietnam philippines pakistan "
        "deutschland osterreich schweiz frankreich italien spanien polen turkei",
    ),
    Subject(
        "place",
        Role.QUASI_IDENTIFIER,
        "urban rural suburb suburban metropolitan north south east west northeast northwest "
        "southeast southwest midwest alabama arizona california colorado florida georgia "
        "illinois indiana iowa kansas kentucky louisiana maryland massachusetts michigan "
        "minnesota mississippi missouri nebraska nevada jersey york carolina dakota ohio "
        "oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington "
        "wisconsin bayern sachsen hessen berlin hamburg bremen brandenburg thuringen saarland "
        "westfalen ontario quebec london paris madrid own owner rent rented renter homeowner "
        "miete eigentum",
    ),
    Subject(
        "education",
        Role.QUASI_IDENTIFIER,
        "bachelor bachelors master masters phd doctorate highschool primary secondary tertiary "
        "elementary abitur hauptschule realschule gymnasium freshman sophomore junior senior "
        "undergraduate graduate postgraduate vocational humanities sciences engineering biology "
        "mathematics psychology law economics",
    ),
    Subject(
        "work",
        Role.QUASI_IDENTIFIER,
        "manager managerial management professional technician technical clerk clerical admin "
        "administration administrative sales service services farmer farming teacher engineer "
        "nurse scientist lawyer driver laborer labourer foreman operative craft craftsman "
        "skilled unskilled secretary retired unemployed housewife homemaker student fulltime "
        "parttime freelance manufacturing construction retail agriculture mining transportation "
        "angestellt angestellter arbeiter beamter selbstandig rentner ouvrier cadre captain "
        "sergeant lieutenant colonel corporal officer professor lecturer",
    ),
    Subject(
        "time",
        Role.QUASI_IDENTIFIER,
        "january february march april may june july august september october november december "
        "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch "
        "donnerstag freitag samstag sonntag januar februar marz mai juni juli oktober dezember "
        "spring summer autumn winter",
    ),
    Subject(
        "birth",
        Role.QUASI_IDENTIFIER,
        "aries taurus gemini leo virgo libra scorpio sagittarius capricorn aquarius pisces",
    ),
    Subject("body", Role.QUASI_IDENTIFIER, "blond blonde brunette brown lefthanded righthanded"),
)
