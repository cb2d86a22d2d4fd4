"""Tables of answers in the forms in which people have them, each turned into a row for each answer or option."""
