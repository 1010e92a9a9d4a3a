"""Build hook of the code wheel: it needs the weights of `small`, an editable install has them in its source tree."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SMALL = "assay-check-small>=0.2"


class WeightsDependency(BuildHookInterface):
    """Adds the weights to what a built wheel requires."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "wheel" and version != "editable":
            build_data["dependencies"].append(SMALL)
