"""Texts that models learn from: files counted for words of two genders beside spaces.

Worker processes load no more than the modules that count.
"""
