"""Reports: what is selected, how a run is shown, and the command line `python -m theorems.report`.

cli.py          what each option does, and the exit status
arguments.py    options and their checks
selection.py    from words, globs and files to claims
table.py        the table, grouped by paper
summary.py      what follows the table: reasons, survivors, counterexamples, one line of totals
progress.py     a bar on a terminal, lines in a pipe
json_report.py  the run as JSON (docs/report.schema.json)
html.py         the run as one self-contained page (templates/)
mathml.py       statements as HTML with MathML
plots.py        which plots a claim gets
svg.py          scales, ticks and shapes of a plot
latex.py        tables for a paper's appendix
markdown.py     tables in Markdown
explain.py      why one claim does not hold, in words
junit.py        JUnit XML for continuous integration
compare.py      what changed since an earlier run
output.py       files written whole or not at all
listing.py      --list
show.py         --show
reproduce.py    --reproduce
starter.py      --new
"""
