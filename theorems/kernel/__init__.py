"""The trusted core: what a comparison may be made of, the comparisons, and their answers.

Nothing outside this package makes an outcome. Contents:
    outcome: decisions, evidence, outcomes, the context of an answer
    values, exact, precision: admitted values, signs of algebraic numbers, evaluation at growing precision
    order: equality and order (`eq`, `le`, `lt`)
    programs: certified optima of convex programs (`optimum`)
    symbols, forms, atoms, relations, points, identities: identities of symbols in an exact ring
    signs, real_roots, positivity: inequalities of symbols by certificates
    sampling, sequences, intervals, means, events, laws: draws with finite-sample guarantees
    slopes, slopes_fit, slopes_random, slopes_last: exponents of rates, plateaus, Q-orders
    thresholds, thresholds_cells, thresholds_random: brackets of phase transitions
    answer: the one door
"""
