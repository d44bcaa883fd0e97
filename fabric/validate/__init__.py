"""Rules that judge any stage, and the reports that show what they found."""
