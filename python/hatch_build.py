"""The parts of a wheel that are not in pyproject.toml: the version, and the program's platform."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class Version(MetadataHookInterface):
    """Sets the release's version: 0.2.0, and 0.2.0-dev.g1234 as 0.2.0.dev0+g1234."""

    def update(self, metadata):
        number, dev, commit = os.environ["SMTPIPE_VERSION"].partition("-dev.")
        metadata["version"] = f"{number}.dev0+{commit}" if dev else number


class Platform(BuildHookInterface):
    """The program is static, so it needs no C library; every current pip installs manylinux_2_17."""

    def initialize(self, version, build_data):
        build_data["tag"] = f"py3-none-manylinux_2_17_{os.environ['SMTPIPE_MACHINE']}"
        build_data["pure_python"] = False
