"""placeholder"""
from inspector.core.chunk import Chunking
from inspector.core.problems.problem import Problem
def find_problems(chunking: Chunking) -> tuple[Problem, ...]:
    return ()
