"""What an e-mail address looks like, in prose and code, and what only looks like one.

`X@beta.id` and `ada@lovelace.fr` are alike to every parser, so it is the ending that decides:
nothing that a matrix has for an attribute counts as a top-level domain.
"""

from __future__ import annotations

import re

_SURE = "com|org|net|edu|gov|mil|biz"
"""No matrix has such an attribute: these end an address whatever stands around it."""
_METHODS = "at|cat|ge|gt|info|int|lt|lu|map|mm|mv|ne|to"
"""Methods of arrays, tensors and frames; where none is called, top-level domains."""
# Left out, as attributes or file suffixes: as im md mu nu ps py re sh so tf, data, name, zip.
_COUNTRIES = (
    "ac|ad|ae|af|ag|ai|al|am|ao|aq|ar|au|aw|ax|az|ba|bb|bd|be|bf|bg|bh|bi|bj|bm|bn|bo|br|bs|bt|bw|"
    "by|bz|ca|cc|cd|cf|cg|ch|ci|ck|cl|cm|cn|co|cr|cu|cv|cw|cx|cy|cz|de|dj|dk|dm|do|dz|ec|ee|eg|er|"
    "es|et|eu|fi|fj|fk|fm|fo|fr|ga|gd|gf|gg|gh|gi|gl|gm|gn|gp|gq|gr|gs|gu|gw|gy|hk|hm|hn|hr|ht|hu|"
    "id|ie|il|in|io|iq|ir|is|it|je|jm|jo|jp|ke|kg|kh|ki|km|kn|kp|kr|kw|ky|kz|la|lb|lc|li|lk|lr|ls|"
    "lv|ly|ma|mc|me|mg|mh|mk|ml|mn|mo|mp|mq|mr|ms|mt|mw|mx|my|mz|na|nc|nf|ng|ni|nl|no|np|nr|nz|om|"
    "pa|pe|pf|pg|ph|pk|pl|pm|pn|pr|pt|pw|qa|ro|rs|ru|rw|sa|sb|sc|sd|se|sg|si|sk|sl|sm|sn|sr|ss|st|"
    "su|sv|sx|sy|sz|tc|td|tg|th|tj|tk|tl|tm|tn|tr|tt|tv|tw|tz|ua|ug|uk|us|uy|uz|va|vc|ve|vg|vi|vn|"
    "vu|wf|ws|ye|yt|za|zm|zw"
)
_GENERIC = (
    "academy|aero|agency|app|art|asia|berlin|blog|care|careers|center|chat|cloud|club|codes|"
    "community|company|consulting|coop|design|dev|digital|directory|education|email|energy|"
    "engineer|engineering|eus|expert|finance|foundation|fun|fyi|gal|global|group|guide|guru|"
    "hamburg|health|help|institute|international|jobs|land|legal|life|live|llc|london|ltd|"
    "marketing|media|mobi|moe|money|museum|network|news|ninja|nyc|online|ooo|page|paris|partners|"
    "photography|press|pro|rocks|school|science|scot|services|shop|site|social|software|solutions|"
    "space|store|studio|support|systems|swiss|team|tech|technology|tips|today|tools|travel|"
    "university|ventures|vip|website|wien|wiki|work|works|world|wtf|xyz|zone"
)
_LABEL = r"[^\W_]{1,63}+(?:-[^\W_]{1,62}+){0,8}\."
EMAIL = re.compile(
    # `\nada@` in a string is an escape before a name; `{user}@`, `%s@`, `$user@`, `//user@` and
    # the password of a redacted URL are no addresses. An `_` in front begins markdown's italics.
    r"(?:(?<=\\[nrt])|(?<!//)(?<![\w.+\-@})%$\\]))(_*+)"
    r"(?!(?:git|hg|password)@)\w[\w.+-]{0,63}+@"
    r"(?!(?:[\w-]{1,63}\.){0,4}(?:example\.(?:com|org|net|edu)|gserviceaccount\.com)\b)"
    rf"(?!self\.)(?:{_LABEL}){{0,7}}"
    rf"(?:{_LABEL}(?i:{_SURE})(?![^\W_])"
    # `W1` and `x` are matrices rather than hosts, and `mT` is how one is transposed.
    rf"|(?![A-Za-z]?\d{{0,2}}\.){_LABEL}(?i:{_COUNTRIES}|{_GENERIC}|(?:{_METHODS})(?![(\[]))"
    r"(?<!\.mT)(?<!\.mH)(?!_{0,3}+\w|@|-\w|\.(?![A-Z][a-z])\w))"
)


def without_email(address: re.Match[str]) -> str:
    """The dummy address, with the `_` that stood before the real one."""
    return address[1] + "user@example.com"
