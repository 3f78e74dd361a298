"""How many generated examples a property is tried on.

HYPOTHESIS_PROFILE chooses: `quick` (a tenth of the examples, while working), `default` (a
quarter), `ci` (the same examples every time, so that a red run is about the change; chosen when
CI=true), `all` (as many as are asked for, by `make test-slow` and `make hard`) or `thorough` (ten
times as many). A test that wants more or fewer examples than others says `@examples(300)`, of which
every profile takes its part.
"""

import os

from hypothesis import settings

N_EXAMPLES = 100

settings.register_profile("default", max_examples=N_EXAMPLES // 4, deadline=None, print_blob=True)
settings.register_profile("quick", settings.get_profile("default"), max_examples=N_EXAMPLES // 10)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, database=None)
settings.register_profile("all", settings.get_profile("default"), max_examples=N_EXAMPLES)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=10 * N_EXAMPLES)


def load(chosen=None):
    """The profile that the environment names, else the chosen one, else that of the place."""
    usual = "ci" if os.environ.get("CI") == "true" else "default"
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or chosen or usual)


def scaled(n):
    """As many of `n` examples as the profile takes."""
    return max(1, n * settings.default.max_examples // N_EXAMPLES)


def examples(n, **others):
    """Settings of a property that is to be tried on `n` examples."""
    return settings(max_examples=scaled(n), **others)
