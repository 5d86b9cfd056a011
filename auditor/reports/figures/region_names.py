"""How regions are called in figures: in English and Chinese, as far as there are glyphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auditor.protocols.regional.files import REGIONS
from auditor.protocols.regional.regions import Region, all_regions
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.lettering import legible


@dataclass(frozen=True)
class RegionNames:
    """The names of the regions of some findings."""

    regions: Mapping[str, Region]
    """By code, in the order of their file."""

    @classmethod
    def of(cls, findings: Findings) -> RegionNames:
        """As the runs had them."""
        regions = all_regions(findings.materials(REGIONS))
        return cls({region.code: region for region in regions})

    def ordered(self, codes: set[str]) -> list[str]:
        """The codes in the file's order, then those that are in no file."""
        known = [code for code in self.regions if code in codes]
        return known + sorted(codes - self.regions.keys())

    def long(self, code: str) -> str:
        """English and Chinese; English alone where a glyph is missing, else the code."""
        region = self.regions.get(code)
        if region is None:
            return code
        chinese = region.name_zh_short
        return f"{region.name_en} {chinese}" if _is_drawn(chinese) else region.name_en

    def short(self, code: str) -> str:
        """Chinese, or English where a glyph is missing, else the code."""
        region = self.regions.get(code)
        if region is None:
            return code
        return region.name_zh_short if _is_drawn(region.name_zh_short) else region.name_en

    def words(self, codes: Sequence[str]) -> tuple[str, ...]:
        """The sentence on names that could not be drawn; none where all could."""
        missing = [
            self.regions[code].name_en
            for code in codes
            if code in self.regions and not _is_drawn(self.regions[code].name_zh_short)
        ]
        if not missing:
            return ()
        return (f"No glyphs for the Chinese names of {', '.join(missing)}: in English.",)


def _is_drawn(name: str) -> bool:
    return legible(name) == name
