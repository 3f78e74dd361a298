"""Generalization hierarchies: what a steward writes down about a column's values.

A hierarchy is a rule; grown over the distinct values of a column it becomes a `Domain`. Tables and
trees are *closed*: they list the ground values themselves. The other rules are *open*: the ground
values come from the data and are never published as a list.
"""

from sfumato.data.hierarchy.base import HIERARCHIES, PATHS, TABLE_FILE, Hierarchy, a_hierarchy
from sfumato.data.hierarchy.categories import Categories
from sfumato.data.hierarchy.dates import Dates
from sfumato.data.hierarchy.domains import closed_domain, open_domain
from sfumato.data.hierarchy.flat import Flat
from sfumato.data.hierarchy.intervals import Intervals
from sfumato.data.hierarchy.level_table import LevelTable
from sfumato.data.hierarchy.prefix import Prefix
from sfumato.data.hierarchy.published_paths import PublicRule, PublishedPaths, whole_rules
from sfumato.data.hierarchy.tree import Tree

__all__ = [
    "HIERARCHIES",
    "PATHS",
    "TABLE_FILE",
    "Categories",
    "Dates",
    "Flat",
    "Hierarchy",
    "Intervals",
    "LevelTable",
    "Prefix",
    "PublicRule",
    "PublishedPaths",
    "Tree",
    "a_hierarchy",
    "closed_domain",
    "open_domain",
    "whole_rules",
]
