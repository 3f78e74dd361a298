"""What several releases say of people whose classes are all known (Wong 2009, section 5.1.6).

An adversary who knows everybody's quasi-identifiers, and when each person came, knows everybody's
class in every release. People in the same classes of all releases are a cell: nothing tells them
apart but their values, and every release says how many people of each of its classes have a value.
"""
