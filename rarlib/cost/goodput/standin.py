"""placeholder"""

from rarlib.cost.goodput.profiles import Profiles


def profiles(name: str) -> Profiles:
    raise NotImplementedError
