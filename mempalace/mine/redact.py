"""Secrets out, before anything is written.

Cheap first: a text without a trigger word and without a long run of token letters costs a dozen
substring searches. Patterns run only where a trigger stands, over a bounded stretch and with
a time limit; a line that a pattern can't finish in time is replaced whole.

Formats come from each provider's documentation, GitHub's list of secret scanning patterns and gitleaks'
default rules. Above 250 lines because the tables stand beside what reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import regex

from mempalace.mine import secrets

TIMEOUT = secrets.TIMEOUT
PASSES = 20  # a replacement may bring others within reach; two passes are the rule
RUN = 16  # the shortest provider's token
WIDE = ("private-key", "unreadable")  # these take an earlier pass's marks along
LONGEST_BLOCK = 20_000  # a private key of 16,384 bits takes 12,700


class Shape(NamedTuple):
    """A kind of secret, looked for where a needle stands; the group `v` (else all) is the secret."""

    kind: str
    needles: tuple[str, ...]
    pattern: Any


def _shape(kind: str, needles: str, pattern: str) -> Shape:
    return Shape(kind, tuple(needles.split()), regex.compile(pattern, regex.ASCII))


# fmt: off
# Every token is at least 16 long; the needle lies in its run of [A-Za-z0-9_.+/-].
TOKENS = (
    _shape("aws-key", "AKIA ASIA ABIA", r"A(?:KI|SI|BI)A[A-Z0-9]{16}"),  # IAM: identifiers
    _shape("github-token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
           r"gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{22,255}"),
    _shape("gitlab-token", "gl", r"gl(?:pat|dt|rt|soat|ptt|ft|imt|agent|cbt|oas|ffct)-[\w-]{20,300}"),
    _shape("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{16,300}"),
    _shape("openai-key", "sk-", r"(?<![^\W_])sk-(?:proj|svcacct|admin|None)-[\w-]{20,300}"),
    _shape("api-key", "sk-", r"(?<![^\W_])sk-(?:(?:or-v1|lf)-[\w-]{20,99}|[A-Za-z0-9]{20,99})"),  # and kin
    _shape("slack-token", "xox xapp-", r"(?:xox[a-z](?:\.xox[a-z])?|xapp-\d)-[\w-]{10,300}"),
    _shape("stripe-key", "k_live_ k_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,300}"),
    _shape("webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{16,300}"),  # Stripe, Svix
    _shape("google-key", "AIza", r"AIza[\w-]{35}"),
    _shape("google-token", "ya29. GOCSPX-", r"ya29\.[\w-]{16,2000}(?:\.[\w-]+)*|GOCSPX-[\w-]{20,40}"),
    _shape("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,80}"),
    _shape("pypi-token", "pypi-", r"pypi-AgE[\w-]{16,400}"),  # a macaroon: always this opening
    _shape("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,80}"),
    _shape("sendgrid-key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    _shape("twilio-key", "SK", r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![0-9A-Za-z])"),
    _shape("digitalocean-token", "_v1_", r"do[oprt]_v1_[0-9a-f]{40,80}"),
    _shape("telegram-token", ":A", r"(?<!\d)\d{6,12}:A[\w-]{34}(?![\w-])"),  # digits stand before the run
    _shape("discord-token", ".", r"(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}"),
    _shape("databricks-token", "dapi", r"dapi[0-9a-f]{32}(?:-\d)?"),
    _shape("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{24,300}"),
    _shape("linear-key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,80}"),
    _shape("supabase-key", "sbp_ sb_secret_", r"sb(?:p|_secret)_\w{20,80}"),
    _shape("doppler-token", "dp.", r"(?<![^\W_])dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,80}"),
    _shape("fly-token", "fm1 fm2 fo1_", r"(?:fm[12][ar]?|fo1)_[\w+/=-]{32,2000}"),
    _shape("age-key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{38,80}"),
    _shape("jwt", "eyJ", r"(?<![A-Za-z0-9])eyJ[\w-]{8,4000}\.[\w-]{2,8000}(?:\.[\w-]*){0,3}"),  # RFC 7519
    _shape("atlassian-token", "ATATT3 ATBB", r"AT(?:ATT3|BB)[\w=-]{24,300}"),
    _shape("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _shape("mailgun-key", "key-", r"(?<![^\W_])key-[0-9a-f]{32}(?![0-9a-f])"),
    _shape("grafana-token", "glsa_ glc_", r"gl(?:sa|c)_[\w+/=]{30,300}"),
    _shape("sentry-token", "sntry", r"sntry[su]_[\w+/=-]{30,300}"),
    _shape("docker-token", "dckr_", r"dckr_[op]at_[\w-]{20,80}"),
    _shape("api-key", "gsk_ xai- pplx- figd_ PMAK-", r"(?:gsk_|xai-|pplx-|figd_|PMAK-)[\w-]{16,200}"),
    _shape("api-key", "NRAK- ntn_ nfp_ r8_", r"(?<![^\W_])(?:NRAK-|ntn_|nfp_|r8_)[A-Za-z0-9]{24,200}"),
    _shape("api-key", "tskey- lsv2_ pscale_", r"(?:tskey-[a-z]+-|lsv2_[a-z]+_|pscale_[a-z]+_)[\w.-]{20,99}"),
    _shape("api-key", "rubygems_ pul-", r"(?:rubygems_|pul-)[0-9a-f]{40,48}"),
    _shape("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,80}"),
    _shape("azure-secret", "Q~", r"[\w~.-]{3}\dQ~[\w~.-]{31,34}"),  # Entra ID client secret
)
URLS = (  # inside a URL
    _shape("url-password", "", r"://[^\s/:@]{0,128}:(?!\d{1,5}[?#])(?P<v>[^\s/]{1,256})@(?=[\w.\[$<{%-])"),
    _shape("url-token", "", r"://(?P<v>[\w.~-]{16,256})@(?=[\w.\[-])"),
    _shape("slack-webhook", "", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<v>[\w/-]{16,200})"),
    _shape("discord-webhook", "", r"discord(?:app)?\.com/api/webhooks/\d{5,25}/(?P<v>[\w-]{30,100})"),
    _shape("signature", "", r"(?i)[?&;](?:sig|signature|x-(?:amz|goog)-signature)=(?P<v>[\w%+/=-]{16,600})"),
)
_WORD = r"""(?P<v>"[^"\n]{1,99}"|'[^'\n]{1,99}'|[^\s"'-][^\s"']{0,99})"""
PLACES = (  # at the needle, whatever its case; RFC 6750 first
    _shape("bearer", "bearer", r"(?i)(?<![^\W_])Bearer[ \t]{1,4}(?P<v>[\w.~+/-]{16,4000}={0,2})"),
    _shape("authorization", "auth",
           r"""(?i)authorization\\?["'`\]*]{0,4}[ \t]{0,4}[:=,][ \t*]{0,4}(?:[fbru](?=["']))?\\?["'`]?"""
           r"""(?:(?:Bearer|Basic|Token|Digest|ApiKey|AWS)[ \t]{1,4})?(?P<v>[^\s"'`\\,;<>]{4,4000})"""),
    _shape("password", "pass", r"(?i)(?<=ssh)pass[ \t]+-p[ \t]?" + _WORD),
    _shape("password", "pass",  # netrc(5)
           r"(?<=login[ \t\n]{1,9}\S{1,99}[ \t\n]{1,9})password[ \t\n]{1,9}(?P<v>\S{1,256})"),
)
COMMANDS = (  # the same, in a text with an option
    _shape("password", "curl", r"(?i)curl\b[^\n|]{0,300}?[ \t](?:-u|--(?:proxy-)?user)[ \t=]?"
           r"""[ \t]?["']?[^\s:"'$]{1,64}:(?P<v>[^\s"']{1,256})"""),
    _shape("password", "mysql mariadb",
           r"(?i)(?:mysql|mariadb)[\w-]*[ \t][^\n|;]{0,200}?(?<=[ \t])-(?-i:p)[ \t]?" + _WORD),
    _shape("password", "login",
           r"(?<=docker[ \t]|podman[ \t]|registry[ \t])login[ \t][^\n|;]{0,200}?(?<=[ \t])-p[ \t]" + _WORD),
)
# fmt: on
_HINT = re.compile(  # literals but for one: Discord's
    "|".join(re.escape(n) for s in TOKENS for n in s.needles if n != ".") + r"|\.[\w-]{6}\."
)
_LETTERS = bytes(97 if i < 128 and (chr(i).isalnum() or chr(i) in "_-.+/") else 32 for i in range(256))
_DRAWN = regex.compile(r"(?i)your[_-]|[_-](?:here|goes)\b|x{6}|1234567890abcdef")
_URL = regex.compile(r"""[^\s"'<>`]{1,8192}""")
_BLOCK = regex.compile(  # RFC 7468, OpenPGP, PuTTY
    r"(?i)KEY(?: BLOCK)?(?:(?<=(?P<start>-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE )KEY(?: BLOCK)?) ?-{4,5}"
    r"|(?<=(?P<start>PuTTY-User-)KEY)-File-)"
)
_END = regex.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{0,5}|Private-MAC: *\w*")
_BODY = regex.compile(r"[A-Za-z0-9+/]{16}")
_CUT = regex.compile(  # a block without its end: perhaps headers, then lines of base64
    r"""(?x)
    (?: (?P<gap> \s | \\+[rnt] | ["'+,|>\#→:] | \d{1,5}(?=[\t→:]) )*+ [A-Z][\w-]{2,20}:[ ][^\n\\]{0,99} ){0,6}
    (?: (?&gap)*+ [A-Za-z0-9+/=]{16,}+ )++
    (?: [ \t]*+ (?:\n|\\n) [ \t>+|]*+ [A-Za-z0-9+/=]{1,76} (?=\s*(?:\Z|\n|["'`.…])) )?"""
)
_MARK = regex.compile(r"\[redacted:[a-z-]{1,24}\]")
_PRIVATE = regex.compile(r"(?i)<(/?)private>")


class Found(NamedTuple):
    """A secret: text[start:end]."""

    start: int
    end: int
    kind: str


Look: TypeAlias = Callable[[str, str, int], Iterable[Found]]  # text, the same in lower case, where


def redact(text: str) -> tuple[str, int]:
    """Return the text with each secret as `[redacted:KIND]`, and how many there were.

    >>> redact("password=hunter2")
    ('password=[redacted:password]', 1)
    """
    count = 0
    for _ in range(PASSES):
        found = _joined(f for f in _found(text) if f.kind in WIDE or not _marked(text, f.start, f.end))
        if not found:
            break
        parts, done = [], 0
        for start, end, kind in found:
            parts += [text[done:start], f"[redacted:{kind}]"]
            done = end
        text = "".join(parts) + text[done:]
        count += len(found)
    return text, count


def without_private(text: str) -> str:
    """Return the text without its `<private>...</private>` stretches; one left open runs to the end.

    >>> without_private("a <private>b <private>c</private> d</private>e")
    'a e'
    """
    kept, done, depth = [], 0, 0
    for tag in _PRIVATE.finditer(text) if "<" in text else ():
        if not tag[1]:
            if not depth:
                kept.append(text[done : tag.start()])
            depth += 1
        elif depth:
            depth -= 1
            done = tag.end()
    return "".join(kept) + ("" if depth else text[done:])


def _joined(found: Iterable[Found]) -> list[Found]:
    """Return the stretches without overlap, in order; of those that overlap the first names the kind."""
    joined: list[Found] = []
    for start, end, kind in sorted(found, key=lambda f: f.start):
        if joined and start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(end, joined[-1].end))
        else:
            joined.append(Found(start, end, kind))
    return joined


def _marked(text: str, start: int, end: int) -> bool:
    """Whether a mark of an earlier pass is in the way."""
    opened = text.rfind("[redacted:", max(0, start - 40), start)
    mark = _MARK.match(text, opened, timeout=TIMEOUT) if opened >= 0 else None
    within = "[redacted:" in text[start:end] and _MARK.search(text, start, end, timeout=TIMEOUT)
    return bool(within or (mark and mark.end() > start))


def _found(text: str) -> Iterator[Found]:
    """Yield every secret, providers' tokens first; stretches may overlap."""
    low = (text if text.isascii() else text.replace("İ", "i")).lower()  # İ alone grows in lower case
    yield from _tokens(text)
    for needle, looks in _LOOKS.items():
        if needle in low:
            for look in looks:
                yield from _everywhere(needle, look, text, low)
    for needle in () if text.isascii() else secrets.FOREIGN:
        yield from _everywhere(needle, _word, text, low)
    for shape in COMMANDS if " -" in low else ():
        for needle in shape.needles:
            yield from _everywhere(needle, partial(_placed, shape), text, low)
    at = low.find("://")
    while at >= 0:
        yield from _safely(_url, text, low, at)
        at = low.find("://", _URL.match(text, at).end())


def _everywhere(needle: str, look: Look, text: str, low: str) -> Iterator[Found]:
    at = low.find(needle)
    while at >= 0:
        beyond = at + len(needle)
        for found in _safely(look, text, low, at):
            yield found
            beyond = max(beyond, found.end)
        at = low.find(needle, beyond)


def _safely(look: Look, text: str, low: str, at: int) -> Iterator[Found]:
    try:
        yield from look(text, low, at)
    except TimeoutError:
        end = text.find("\n", at)
        yield Found(text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end, "unreadable")


def _tokens(text: str) -> Iterator[Found]:
    """Yield providers' tokens: in each long run of token letters, those patterns whose needle is there."""
    letters = text.encode("latin-1", "replace").translate(_LETTERS)  # a byte a character
    at = letters.find(b"a" * RUN)
    while at >= 0:
        end = letters.find(b" ", at)
        end = len(text) if end < 0 else end
        if _HINT.search(text, max(0, at - 2), end):
            run = text[max(0, at - 2) : end]
            for shape in TOKENS:
                if any(needle in run for needle in shape.needles):
                    yield from _safely(partial(_in_run, shape, end), text, "", at)
        at = letters.find(b"a" * RUN, end)


def _in_run(shape: Shape, end: int, text: str, _low: str, at: int) -> Iterator[Found]:
    for match in shape.pattern.finditer(text, max(0, at - 14), end + 2100, timeout=TIMEOUT):
        if match.start() >= end:
            break
        if len(set(match[0][-16:])) > 2 and not _DRAWN.search(match[0], timeout=TIMEOUT):
            yield Found(match.start(), match.end(), shape.kind)


def _placed(shape: Shape, text: str, _low: str, at: int) -> Iterator[Found]:
    match = shape.pattern.match(text, at, timeout=TIMEOUT)
    if match and _given(shape.kind, match["v"].strip("\"'")):
        yield Found(match.start("v"), match.end("v"), shape.kind)


def _url(text: str, _low: str, at: int) -> Iterator[Found]:
    end = _URL.match(text, at).end()
    for shape in URLS:
        for match in shape.pattern.finditer(text, at, end, timeout=TIMEOUT):
            if _given(shape.kind, match["v"]):
                yield Found(match.start("v"), match.end("v"), shape.kind)


def _given(kind: str, value: str) -> bool:
    """Whether a value in such a place is a secret."""
    if secrets.is_hole(value) or kind not in ("url-token", "bearer", "authorization"):
        return not secrets.is_hole(value)
    mixed = kind != "url-token" and len(value) > 5 and secrets.is_mixed(value) and not secrets.is_code(value)
    return mixed or secrets.looks_random(value)


def _word(text: str, low: str, at: int) -> Iterator[Found]:
    found = None if _marked(text, at, at) else secrets.beside(text, low, at)
    if found:
        yield Found(*found)


def _block(text: str, low: str, at: int) -> Iterator[Found]:
    """Yield the private key block whose first line has its "key" at `at`, whole or cut short."""
    near = low[max(0, at - 8) : at]
    begin = _BLOCK.match(text, at, timeout=TIMEOUT) if near in ("private ", "ty-user-") else None
    if not begin:
        return
    limit = text.find("-BEGIN ", begin.end(), begin.end() + LONGEST_BLOCK)
    limit = begin.end() + LONGEST_BLOCK if limit < 0 else limit
    end = _END.search(text, begin.end(), limit, timeout=TIMEOUT)
    whole = end and _BODY.search(text, begin.end(), end.start(), timeout=TIMEOUT)
    last = end if whole else _CUT.match(text, begin.end(), limit, timeout=TIMEOUT)
    if last:
        yield Found(begin.start("start"), last.end(), "private-key")


_LOOKS: dict[str, tuple[Look, ...]] = {
    needle: (
        *((_word,) if needle in secrets.TRIGGERS else ()),
        *((_block,) if needle == "key" else ()),
        *(partial(_placed, shape) for shape in PLACES if needle in shape.needles),
    )
    for needle in (*secrets.TRIGGERS, "bearer")
}
