"""A Spark session of our own beside a user's, and what Spark's errors mean in one line."""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import pyarrow as pa
from py4j import java_gateway as java_way
from py4j.protocol import Py4JError
from pyspark import java_gateway
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from sfumato.errors import BadInput, NoRoom
from sfumato.files.private_directory import PrivateDirectory, scratch

# Imported in any case, and here without what it says of pandas: executors have what we send them
# by importing this, and print that in pieces.
with catch_warnings():
    simplefilter("ignore", FutureWarning)
    import pyspark.testing  # noqa: F401

NANOS_AS_LONG = "spark.sql.legacy.parquet.nanosAsLong"
# What is computed must not depend on how a user has set up the session: see `Cluster.own`.
SETTINGS = {
    "spark.sql.ansi.enabled": "true",  # decimals as plain texts
    "spark.sql.caseSensitive": "true",
    NANOS_AS_LONG: "true",  # Python does not know their type; see `kinds`
    "spark.sql.timestampNanosTypes.enabled": "true",  # in files; both are new in Spark 4.3
    "spark.sql.timeType.enabled": "true",
    "spark.sql.csv.parser.columnPruning.enabled": "false",  # or lines are not counted by fields
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96AsTimestamp": "true",
    "spark.sql.parquet.int96TimestampConversion": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.fieldId.read.enabled": "false",  # columns are found by their names
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.parquet.respectSummaryFiles": "false",
    "spark.sql.parquet.ignoreVariantAnnotation": "false",
    "spark.sql.parquet.reader.respectUnknownTypeAnnotation.enabled": "false",
    "spark.sql.parquet.writeLegacyFormat": "false",
    # A file that cannot be read is never left out, and no other is read for it.
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.files.ignoreInvalidPartitionPaths": "false",
    "spark.sql.files.ignoredPathSegmentRegex": "^[._]",
    "spark.sql.files.archive.reader.enabled": "false",
    "spark.sql.files.maxRecordsPerFile": "0",
    "spark.sql.sources.useV1SourceList": "avro,csv,json,kafka,orc,parquet,text",  # they know places
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.icu.caseMappings.enabled": "true",
    "spark.sql.jsonGenerator.ignoreNullFields": "true",
    "spark.sql.legacy.allowNegativeScaleOfDecimal": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.retainGroupColumns": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",  # of Arrow's timestamps without a time zone
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # 01 stays 01
}
SIZE = re.compile(r"(\d+)([bkmgtp]?)b?")  # of memory, as Spark's settings have it
SILENT = (  # loggers
    *("SQLQueryContextLogger", "DataFrameQueryContextLogger"),  # queries, and what led to them
    *("py4j.java_gateway", "py4j.clientserver"),  # the way to Java: traces of what it raises, too
)
NOTHING = "v0 int"  # of a frame without rows
TAKEN_OVER = "spark.sql.shuffle.partitions"
# Of a session that we make: nothing on the screen, and no values of the data in its log.
QUIET = {
    "spark.app.name": "sfumato",
    "spark.log.level": "FATAL",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
NO_JAVA = (
    "engine 'spark': Java was not found, and Spark runs in it; install Java 17 (Debian: apt-get "
    "install openjdk-17-jre-headless), or set JAVA_HOME to where it is"
)
STOPPED = "the Spark session has been stopped, or its server is gone; make another, and start again"
CONNECT = (
    "engine 'spark': this session cannot have another one beside it; Spark Connect needs pyspark "
    "4.3 or later, here and on its server"
)
WITHOUT_US = (
    "the executors finish what does not fit into memory= by sfumato, and do not have it; install "
    "it where they run, let PYSPARK_PYTHON name the Python that has it, or allow more memory"
)
MEANINGS = [  # what a message of Spark has in it, and what that means
    (r"stopped SparkContext|SparkContext was shut down|SESSION_CLOSED|SESSION_NOT_FOUND", STOPPED),
    (r"Connection refused|UNAVAILABLE|Connection reset|Answer from Java side is empty", STOPPED),
    (
        r"ExecutorLostFailure|[Ll]ost executor|executor \S+ exited|MetadataFetchFailed|FetchFailed",
        "Spark lost an executor, and what it had to do was not done; nothing was published: start "
        "again, and see the log of the cluster for why",
    ),
    (
        r"OutOfMemoryError|Total size of serialized results|maxResultSize",
        "Spark has too little memory; give its driver or its executors more",
    ),
    (r"No module named 'sfumato", WITHOUT_US),
    (r"cancelled|INTERRUPTED|OPERATION_CANCELED", "the work on the cluster was cancelled"),
    (
        r"MALFORMED_(CSV_)?RECORD|Malformed CSV record|TextParsingException",
        "a line has another number of fields than the header, or its quotes do not end; mend it",
    ),
    (r"PATH_NOT_FOUND|does not exist|FileNotFoundException", "a file is gone, or was never there"),
    (r"UNABLE_TO_INFER_SCHEMA", "no Parquet files are in it"),
    (
        r"CANNOT_PARSE_DATATYPE|PARQUET_TYPE_ILLEGAL|UNSUPPORTED_(TIME_TYPE|DATA_TYPE_FOR_ARROW)",
        "a column has a type that this Spark does not read; turn it into text, numbers or dates",
    ),
    (r"CANNOT_READ_FILE_FOOTER|is not a Parquet file|FAILED_READ_FILE", "a file is damaged"),
    (r"Permission denied", "permission denied"),
]

_scratch: list[PrivateDirectory] = []  # where a session that we made spills; it goes with us


class _Work(threading.local):
    """Whether a thread works in our session; each has an active one of its own."""

    is_ours = False


class Cluster:
    """A session of ours on the cluster of another, with settings that are always the same."""

    def __init__(self, given: Any) -> None:
        self.given, self._work = given, _Work()
        self.shared: set[Path] = set()  # directories that executors were seen to share
        self._tag = f"sfumato-{secrets.token_hex(8)}"
        for name in SILENT:
            logging.getLogger(name).disabled = True
        logging.getLogger().addFilter(_of_others)
        with self.explained("engine 'spark'"):
            try:
                self.own = given.newSession()
            except (AttributeError, NotImplementedError, PySparkException) as error:
                if re.search(MEANINGS[0][0], str(error)) or "'NoneType'" in str(error):
                    raise BadInput(f"engine 'spark': {STOPPED}") from None
                raise BadInput(CONNECT) from None
            for name, value in SETTINGS.items():
                self.own.conf.set(name, value)
            self.own.conf.set(TAKEN_OVER, given.conf.get(TAKEN_OVER))
            self.n_partitions = int(given.conf.get(TAKEN_OVER))
            self.executor_share, self.most_at_once = room_of(given.conf.get)

    @classmethod
    def of(cls, session: Any, source: object) -> Cluster:
        """Take the session that was given, that of a frame, the active one, or make one."""
        if session is not None and not hasattr(session, "newSession"):  # two classes have it
            raise BadInput(
                "engine 'spark': give a Spark session, such as SparkSession.builder.getOrCreate(), "
                f"got a {type(session).__name__}"
            )
        if session is None and isinstance(source, DataFrame):
            session = source.sparkSession
        if session is None:
            session = SparkSession.getActiveSession()
        return cls(_made() if session is None else session)

    @contextmanager
    def explained(self, name: str, target: Path | None = None) -> Iterator[None]:
        """Turn Spark's errors into one line that names the place and no value."""
        try:
            with self._active():
                yield
        except KeyboardInterrupt:
            with suppress(Exception):  # whatever became of the session
                self.own.interruptTag(self._tag)
            raise
        except (PySparkException, Py4JError, pa.ArrowException, ConnectionError) as error:
            raise self._meaning(error, name, target) from None
        except (AssertionError, AttributeError) as error:
            if not _of_pyspark(error):
                raise
            raise BadInput(f"{name}: {STOPPED}") from None

    @contextmanager
    def _active(self) -> Iterator[None]:
        """Make our session the active one, in which Spark looks some settings up, and not ours."""
        if self._work.is_ours or not hasattr(self, "own"):
            yield
            return
        self._work.is_ours = True
        try:
            self.own.createDataFrame([], NOTHING)  # makes it the active session
            self.own.addTag(self._tag)  # by which all that we asked for can be stopped
            yield
        finally:
            self._work.is_ours = False
            with suppress(Exception):
                self.own.removeTag(self._tag)
            with suppress(Exception):  # whatever became of it
                self.given.createDataFrame([], NOTHING)

    def _meaning(self, error: Exception, name: str, target: Path | None) -> BadInput:
        text = str(error)
        if "No space left on device" in text or "Disk quota exceeded" in text:
            where = "where Spark keeps its files" if target is None else f"at {target}"
            return NoRoom(f"{name}: no room {where}; make some, and start again")
        if isinstance(error, ConnectionError):
            return BadInput(f"{name}: {STOPPED}")
        for pattern, meaning in MEANINGS:
            if re.search(pattern, text):
                return BadInput(f"{name}: {meaning}")
        if not self._answers():
            return BadInput(f"{name}: {STOPPED}")
        condition = error.getCondition() if isinstance(error, PySparkException) else None
        return BadInput(f"{name}: Spark refused it ({condition or type(error).__name__})")

    def _answers(self) -> bool:
        """Whether the session is still there: one that is being shut down says odd things."""
        try:
            self.own.sql("SELECT 1").collect()
        except Exception:  # whatever it says
            return False
        return True

    def frame(self, table: pa.Table) -> DataFrame:
        """Hand a small table over to the cluster."""
        return self.own.createDataFrame(table)

    def collected(self, frame: DataFrame) -> pa.Table:
        """Bring a small table here."""
        return frame.toArrow()


def _of_others(record: logging.LogRecord) -> bool:
    """Whether a record of the root logger is not of the way to Java: it prints traces, and raises.

    What it raises is explained, or is the Ctrl-C that somebody pressed.
    """
    return record.module != str(java_way.__name__).rpartition(".")[2]


@contextmanager
def _silent_java() -> Iterator[None]:
    """Start Java without what it and Spark say of themselves on standard error, before any setting.

    What goes wrong is said in one line of ours.
    """
    started = vars(java_gateway).get("Popen")
    if started is not None:
        vars(java_gateway)["Popen"] = partial(started, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        if started is not None:
            vars(java_gateway)["Popen"] = started


@contextmanager
def _own_signals() -> Iterator[None]:
    """Leave Ctrl-C to whom it belongs: a session of the classic kind takes it to itself.

    It would talk to Java in the middle of what Java is asked, and print how that ends.
    """
    known = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if known is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, known)


def room_of(setting: Callable[[str, str], str | None]) -> tuple[int | None, int | None]:
    """Give the bytes that a task on an executor may use, and those that may come here at once.

    None: as many as the machine has, as where Spark is local, and any number.

    >>> room_of({"spark.executor.memory": "8g", "spark.executor.cores": "4"}.get)
    (2147483648, 1073741824)
    >>> room_of({"spark.master": "local[2]", "spark.driver.maxResultSize": "0"}.get)
    (None, None)
    """
    is_local = str(setting("spark.master", "")).startswith("local")
    is_cluster = str(setting("spark.master", "")).startswith("local-cluster")
    memory = _n_bytes(str(setting("spark.executor.memory", "1g")), "m")
    share = memory // max(1, int(setting("spark.executor.cores", "1") or 1))
    most = _n_bytes(str(setting("spark.driver.maxResultSize", "1g")), "")
    return None if is_local and not is_cluster else share, most or None


def _n_bytes(text: str, unit: str) -> int:
    """Read an amount of memory as Spark writes it: 4g, 512m; a number alone is of its unit."""
    amount, written = SIZE.fullmatch(text.strip().lower()).groups()  # type: ignore[union-attr]
    return int(amount) << 10 * "bkmgtp".index(written or unit or "b")


def _of_pyspark(error: Exception) -> bool:
    """Whether an error comes out of pyspark: it asserts that there is a session."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and "pyspark" in Path(trace.tb_frame.f_code.co_filename).parts


def _made() -> Any:
    """Make a session: local, unless the environment says where."""
    remote = "SPARK_REMOTE" in os.environ
    java = Path(os.environ.get("JAVA_HOME", "/nowhere"), "bin", "java")
    if not remote and not java.exists() and shutil.which("java") is None:
        raise BadInput(NO_JAVA)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    if not remote:
        _scratch.append(scratch())
        for name, value in {**QUIET, "spark.local.dir": str(_scratch[-1].path)}.items():
            builder = builder.config(name, value)
    try:
        with _silent_java(), _own_signals():
            session = builder.getOrCreate()
        if session.conf.get("spark.master", "").startswith("local"):
            session.conf.set(TAKEN_OVER, str(2 * (os.cpu_count() or 1)))  # not for a cluster
        return session
    except (PySparkException, Py4JError, RuntimeError) as error:
        if "JAVA_GATEWAY_EXITED" in str(error):
            raise BadInput(NO_JAVA) from None
        raise BadInput(
            f"engine 'spark': no session could be started ({type(error).__name__}); make one in "
            "Python, and give it: sf.engines.Spark(session)"
        ) from None
