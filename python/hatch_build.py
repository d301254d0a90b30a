"""What of a wheel is not in pyproject.toml: the version, and the platform of the program."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class Version(MetadataHookInterface):
    """Takes the version of the release: 0.2.0, and 0.2.0-dev.g1234 as 0.2.0.dev0+g1234."""

    def update(self, metadata):
        number, dev, commit = os.environ["SMTPIPE_VERSION"].partition("-dev.")
        metadata["version"] = f"{number}.dev0+{commit}" if dev else number


class Platform(BuildHookInterface):
    """The program is static, so it needs no C library; manylinux_2_17 is what every pip of today installs."""

    def initialize(self, version, build_data):
        build_data["tag"] = f"py3-none-manylinux_2_17_{os.environ['SMTPIPE_MACHINE']}"
        build_data["pure_python"] = False
