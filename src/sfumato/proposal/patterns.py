"""How values are written: e-mail addresses, telephone numbers, dates, postal codes.

Regular expressions as the engines take them (RE2), for a whole value.
"""

from __future__ import annotations

_DAY, _MONTH, _YEAR = "(0?[1-9]|[12][0-9]|3[01])", "(0?[1-9]|1[0-2])", "(1[89]|20)[0-9]{2}"
_TIME = "([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?"

# What names a person, whatever the column is called.
CONTACTS = {
    "e-mail address": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "telephone number": r"(\+|00)[1-9][0-9][0-9 ()/.-]{5,18}|0[0-9]{1,5}[ /-][0-9][0-9 /-]{3,14}"
    r"|\(?[0-9]{3}\)?[ .-][0-9]{3}[ .-][0-9]{4}",
    "web address": r"(https?://|www\.)\S+",
    "network address": r"([0-9]{1,3}\.){3}[0-9]{1,3}|([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}",
    "account number": r"[A-Z]{2}[0-9]{2} ?([A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}",
    "card number": r"[0-9]{4}([ -]?[0-9]{4}){3}",
    "insurance number": r"[0-9]{3}-[0-9]{2}-[0-9]{4}|756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}",
    "UUID": r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
}
# Dates, by the format that a person would name; ISO dates may have a time.
ISO = "YYYY-MM-DD"
DATES = {
    ISO: f"{_YEAR}-{_MONTH}-{_DAY}{_TIME}",
    "DD.MM.YYYY": f"{_DAY}\\.{_MONTH}\\.{_YEAR}{_TIME}",
    "DD-MM-YYYY": f"{_DAY}-{_MONTH}-{_YEAR}{_TIME}",
    "DD/MM/YYYY": f"{_DAY}/{_MONTH}/{_YEAR}{_TIME}",
    "MM/DD/YYYY": f"{_MONTH}/{_DAY}/{_YEAR}{_TIME}",
    "YYYY/MM/DD": f"{_YEAR}/{_MONTH}/{_DAY}{_TIME}",
    "YYYYMMDD": "(1[89]|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])",
}
POSTAL = {
    "five digits": "[0-9]{5}(-[0-9]{4})?",
    "four digits": "[1-9][0-9]{3}",
    "British": "[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}",
    "Canadian": "[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]",
    "Dutch": "[1-9][0-9]{3} ?[A-Z]{2}",
}
YEAR = "year"
COORDINATE = "coordinate"
CODE = "code with zeros in front"
ICD = "diagnosis code"
PATTERNS = {
    **CONTACTS,
    **DATES,
    **POSTAL,
    YEAR: f"{_YEAR}(\\.0)?",
    COORDINATE: r"-?[0-9]{1,3}\.[0-9]{4,}",
    CODE: "0[0-9]+",
    ICD: r"[A-TV-Z][0-9][0-9A-Z]\.[0-9A-Z]{1,4}",
}
# What else rules about identifiers name; nothing is proposed by these.
_MONTH_NAME = "(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[A-Za-z]*"
WORDED_DATE, SHORT_DATE, MONTH, RANGE = "worded date", "short date", "month of a year", "range"
DAY_OF_YEAR = "day of a year"
FINER = {
    "vehicle number": "[A-HJ-NPR-Z0-9]{8}[0-9X][A-HJ-NPR-Z0-9]{4}[0-9]{4}",
    "device address": "([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}",
    "short network address": "([0-9A-Fa-f]{1,4}:){1,6}(:[0-9A-Fa-f]{1,4}){1,6}",
    "picture": r"(?i:\S(.*\S)?\.(jpe?g|png|gif|bmp|tiff?|heic|webp|dcm))",
    WORDED_DATE: f"[0-9]{{1,2}}[ .-]{{0,2}}{_MONTH_NAME}[ .,-]{{0,2}}([0-9]{{4}}|[0-9]{{2}})"
    f"|{_MONTH_NAME}[ .]{{0,2}}[0-9]{{1,2}}(st|nd|rd|th)?,? [0-9]{{4}}",
    SHORT_DATE: "[0-9]{1,2}([/.-])[0-9]{1,2}[/.-][0-9]{2}",
    MONTH: f"{_YEAR}[-/]{_MONTH}|{_MONTH}[/-]{_YEAR}|(0[1-9]|1[0-2])\\.{_YEAR}"
    f"|{_MONTH_NAME}[ .,-]{{0,2}}{_YEAR}|{_YEAR}[ -]?[Qq][1-4]|[Qq][1-4][ /-]?{_YEAR}",
    DAY_OF_YEAR: f"{_MONTH}[/-]{_DAY}|{_DAY}[/-]{_MONTH}|{_DAY}\\.{_MONTH}\\.|--{_MONTH}-?{_DAY}"
    f"|[0-9]{{1,2}}[ .-]{{0,2}}{_MONTH_NAME}|{_MONTH_NAME}[ .]{{0,2}}[0-9]{{1,2}}(st|nd|rd|th)?",
    RANGE: r"[\[({<>≥≤].*|\S+ (to|bis|-|–) \S+",
}
