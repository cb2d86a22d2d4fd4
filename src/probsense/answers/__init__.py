"""Open answers as distributions: how alike strings are, clusters, matching, ProbEval and the ProtoQA scores.

Pure functions of numpy arrays and strings; nothing here reads a file. Names that begin with ``published_`` compute a
figure as the released evaluations did; the same name without it is the one to prefer.
"""
