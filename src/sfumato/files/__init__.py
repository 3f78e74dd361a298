"""Files: private directories, files that are complete or absent, places where a test may kill."""
