"""What can be wrong with the places that a run uses: one line for people each."""


class LedgerError(Exception):
    """A ledger that cannot be used; one line that says why and what to do."""


class ClusterError(Exception):
    """A cluster that cannot be used; one line that says why and what to do."""
