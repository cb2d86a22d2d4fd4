"""Compares open answers as distributions: similarities of strings, clusters, ProbEval and the ProtoQA
measures.

The functions are pure functions of numpy arrays and strings, and none reads a file. A function whose name begins with
``published_`` computes an estimate as the released evaluations did; prefer the function without that prefix.
"""
