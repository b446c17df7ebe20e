"""One module a paper (a folder where a paper needs several)."""
