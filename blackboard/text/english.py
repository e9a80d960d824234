"""Words of English that a stemmer does not know what to do with: those that say nothing, and forms that are not made by rule."""

STOP = frozenset(
    """
    a about after again all also am an and any are as at be because been before being both but by can could d did do does doing don down
    during each either else ever few for from further had has have having he her here hers herself him himself his how i if in into is it
    its itself just ll m me more most my myself neither nor not now of off on once only or other our ours ourselves out over own re really
    s same shall she should so some such t than that the their theirs them themselves then there these they this those through to too
    under until up us ve very was we were what when where which while who whom whose why will with would you your yours yourself
    didn doesn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain hey hi oh yeah wow ok okay
    """.split()  # noqa: SIM905 - read as words
)
"""Of a question it is what it asks about that counts, of a statement what it says."""

_FORMS = """
arise arose arisen; awake awoke awoken; be is are am was were been; bear bore borne; beat beaten; become became; begin began begun;
bend bent; bet; bite bit bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built; burn burnt;
buy bought; catch caught; choose chose chosen; come came; cost; creep crept; deal dealt; dig dug; do did done; draw drew drawn;
dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found;
flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen;
get got gotten; give gave given; go went gone; grow grew grown; hang hung; have had has; hear heard; hide hid hidden; hold held; keep kept;
know knew known; lay laid; lead led; lean leant; leap leapt; learn learnt; leave left; lend lent; lie lain; light lit; lose lost;
make made; mean meant; meet met; pay paid; prove proven; ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen;
seek sought; sell sold; send sent; sew sewn; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung;
sink sank sunk; sit sat; sleep slept; slide slid; smell smelt; speak spoke spoken; spend spent; spill spilt; spin spun; stand stood;
steal stole stolen; stick stuck; sting stung; strike struck; strive strove striven; swear swore sworn; sweep swept; swim swam swum;
swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown; understand understood;
wake woke woken; wear wore worn; weave wove woven; weep wept; win won; wind wound; withdraw withdrew withdrawn; write wrote written;
child children; man men; woman women; person people; foot feet; tooth teeth; mouse mice; goose geese; life lives; wife wives; knife knives;
leaf leaves; shelf shelves; half halves; wolf wolves; loaf loaves; scarf scarves; good better best; bad worse worst; far farther further
"""

BASE = {form: base for base, *forms in (each.split() for each in _FORMS.split(";")) for form in forms}
"""Irregular form → the form that its stem is taken of."""
