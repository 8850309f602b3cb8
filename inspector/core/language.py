"""Which language's sentence rules a document is cut by."""

from __future__ import annotations

DEFAULT = "en"

KNOWN = frozenset(
    """aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el
    en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja
    jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd
    ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss
    st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    ace als arc arz ast awa azb ban bar bcl bjn bpy bug bxr cbk cdo ckb crh csb dsb eml ext frp frr fur gag gan glk
    gom gor gsw hak hif hsb hsn ilo inh kaa kab kbd kbp koi krc ksh lad lbe lez lij lld lmo ltg lzh mai mhr min mrj
    mwl myv mzn nah nan nap nds nia nov nrm nso olo pag pam pap pcd pfl pms pnb pnt rmy rue rup sah scn sco sgs skr
    smn srn stq szl tcy tet tum tyv udm vec vep vls vro war wuu xal xmf yue zea""".split()
)
"""Languages sentencex has rules or a relative for: ISO 639-1, and of the longer codes those with a Wikipedia.
It takes any other word in silence and cuts as in English."""


def sentence_language(stated: object, setting: str) -> str:
    """Return the language of a document: what its front matter states as `lang`, else the folder's setting, else
    English; each only when it is known. Of a tag like `pt-BR` or `pt_BR` the language counts."""
    if stated is False:
        stated = "no"  # YAML 1.1 reads Norwegian as false
    for wanted in (stated, setting):
        if isinstance(wanted, str):
            language = wanted.strip().replace("_", "-").split("-")[0].lower()
            if language in KNOWN:
                return language
    return DEFAULT
