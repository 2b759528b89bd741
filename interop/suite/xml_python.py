"""Filled in next."""


def register(b):
    pass
