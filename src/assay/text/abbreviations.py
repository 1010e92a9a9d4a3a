"""Words whose full stop is no end of a sentence, and words that open one."""

from __future__ import annotations

from assay.text.words import words

# A name or a thing follows: "Dr. Li", "vs. Texas", "Mt. Everest".
BEFORE_NAME = words("""
    dr mr mrs ms mx prof st gen col maj sen rep gov capt cpt cmdr lt sgt cpl rev hon pres supt fr sr messrs mme mlle
    vs v cf viz mt ft approx ca assoc asst dir adm amb insp attn atty ing dipl
    """)
# Only before a number: "No. 5", "Fig. 2", "Jan. 3"; "He said no. Then" ends.
BEFORE_NUMBER = words("""
    no nos fig figs eq eqs sec secs art arts vol vols pp p pt ch chap para tab app ex ver v nr par cl reg
    jan feb mar apr jun jul aug sep sept oct nov dec
    """)
# Always in the middle.
INNER = words("e.g i.e eg ie incl excl esp resp al.e n.b c.f")
# At an end only if the next word opens a sentence: "Apple Inc. The", but "Apple Inc. shares".
OTHER = words("""
    inc corp ltd co bros llc plc jr esq etc al dept est ave blvd rd univ govt gov intl min max temp avg no fig vol
    ed eds hr hrs mins secs yr yrs mo wk lb lbs oz in tel ext misc mfg natl assn cert dist comm
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    """)
OPENERS = words("""
    the a an this that these those it its he she they we you i his her their our your my there here in on at by for from
    with without as after before during since until when while if although though because however but and so or yet
    moreover furthermore therefore thus also additionally nevertheless nonetheless meanwhile instead then now today both
    each every all some many most several few no not one two three such another other what who where why how which to
    under over between among through according despite although overall finally first second third last next only even
    please note dr mr mrs ms prof
    """)
