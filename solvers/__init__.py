"""Mathematics that claims call, one topic per file; nothing here knows of claims."""
