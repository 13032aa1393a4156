# SPDX-License-Identifier: Apache-2.0
"""Functions that another process can find."""


def old(*args, **kwargs):
    pass


def new(*args, **kwargs):
    pass


def shaped(n):
    pass


class Holder:
    @staticmethod
    def inner():
        pass
