"""Known defects of releases and chips: what a fact is, and the book of them. Data, no judgement."""
