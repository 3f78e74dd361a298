"""The parts of a report's document, a file for each: plain values that `report.json` holds."""
