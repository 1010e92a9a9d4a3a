"""Words whose full stop is no end of a sentence, and words that open one."""

from __future__ import annotations

from assay.text.words import words

# A name or a thing follows: "Dr. Li", "vs. Texas".
BEFORE_NAME = words("""
    dr mr mrs ms mx prof st messrs mme mlle vs v cf viz approx ca assoc asst attn atty
    """)
# The same, but only with a capital: "Rep. Smith", "Ft. Worth"; "one more rep. Then" ends.
TITLES = words("""
    gen col maj sen rep gov capt cpt cmdr lt sgt cpl rev hon pres supt fr sr dir adm amb insp ing dipl mt ft
    """)
# Only before a number: "No. 5", "Fig. 2", "Jan. 3", "c. 1850"; "He said no. Then" ends.
BEFORE_NUMBER = words("""
    no nos fig figs eq eqs sec secs art arts vol vols pp p pt ch chap para tab app ex ver v nr par cl reg b c d fl
    jan feb mar apr jun jul aug sep sept oct nov dec
    """)
# Always in the middle.
INNER = words("e.g i.e eg ie incl excl esp resp al.e n.b c.f")
# At an end only if the next word opens a sentence: "Apple Inc. The", but "Apple Inc. shares".
OTHER = words("""
    inc corp ltd co bros llc plc jr esq al dept est ave blvd rd univ govt gov intl max temp avg fig vol ed eds tel ext
    misc mfg natl assn cert dist comm
    """)
# The same, but only with a capital: "Sun. The", but "in the sun. Tourists".
DAYS_AND_MONTHS = words("jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun")
# Behind a number they end a sentence before any capital: "6 ft. Doors", but "6 ft. high".
UNITS = words("ft in lb lbs oz hr hrs min mins sec secs yr yrs mo wk")
# A single letter behind one of these is a label and no initial: "vitamin C. Tenants", but "John F. Kennedy".
LABELLED = words("""
    annex appendix article axis band block building category chapter class clause column deck diagram division document
    drive exhibit factor figure form gate grade group hall hepatitis influenza item key level line list lot model module
    option panel part phase plan platform point policy port product protein question rating room route row rule schedule
    score section series set sheet side site size stage step switch tab table task team terminal tier title tower type
    unit variant version vitamin war wing zone
    """)
OPENERS = words("""
    the a an this that these those it its he she they we you i his her their our your my there here in on at by for from
    with without as after before during since until when while if although though because however but and so or yet
    moreover furthermore therefore thus also additionally nevertheless nonetheless meanwhile instead then now today both
    each every all some many most several few no not one two three such another other what who where why how which to
    under over between among through according despite although overall finally first second third last next only even
    please note dr mr mrs ms prof
    """)
