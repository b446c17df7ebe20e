"""Child processes that can be interrupted."""

import signal


def interruptible() -> None:
    """For `preexec_fn`: undo an ignored SIGINT, which shells give to what they start in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
