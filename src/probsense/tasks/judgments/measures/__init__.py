"""What answers amount to: a concept a module.

"consensus", "awareness", "commonsensicality", "percentile" and "win_rate" measure individuals; measures whose names
begin with "group_" measure populations.
"""
