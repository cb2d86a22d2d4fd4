"""The measures of the published evaluations of open answers, with their quirks: ProbEval and ProtoQA."""
