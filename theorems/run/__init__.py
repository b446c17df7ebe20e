"""Running claims: plan, execute in processes, judge."""
