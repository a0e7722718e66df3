"""The value beside a word such as "password" or "api_key": where it stands, and whether it is a secret.

No format tells such a secret, so the way it is written must: `password=hunter2` is one, `password=ask()`,
`"password": "required"` and `max_tokens=4096` are none. The rules are our own, tuned on transcripts and code.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import regex

TIMEOUT = 0.5  # seconds of CPU for one pattern at one place; ours need microseconds

TRIGGERS = ("pass", "pwd", "secret", "token", "key", "auth", "senha")
FOREIGN = ("contraseñ", "парол", "密码", "密碼", "口令", "パスワード", "비밀번호", "şifre", "hasło")
_STEM = regex.compile(
    r"""(?xi)
    (?: (?P<weak> pass(?:words?|wd|phrases?|code) | passwort[es]* | (?<=mots?[ ]de[ ])passe | pwd | secrets?
          | senha | contraseñas? | парол\p{L}{0,3} | şifre\p{L}{0,4} | hasło | 密码 | 密碼 | 口令 | パスワード
          | 비밀번호 )
      | (?P<timid> pass | auth ) | tokens? | keys? )
    (?: [_-]?(?:prod|dev|test|staging|live|value|base64|b64|plain|base|key|\d{1,3}) )?
    (?! [a-z0-9_] | [.(]\w )
    """
)
_OPENS = regex.compile(  # of all keys, these open something
    r"(?:api|access|secret|private|auth|account|encrypt(?:ion)?|signing|master|service|client|subscription|deploy"
    r"|admin|consumer|webhook|license|application|app|storage|signature|jwt|hmac)[ _.-]?$"
)
_COUNTS = regex.compile(  # of all tokens, these are no secrets
    r"(?:max|min|num|n|total|input|output|prompt|completion|reasoning|next|page|continuation|cursor|sync|pad|eos|bos"
    r"|unk|sep|cls|mask|special|stop|start|end|first|last|per|cached?|thinking|budget|syntax|public)[ _.-]?$"
)
_BARE = regex.compile(r"(?:[_.-]|db|user|my|admin|root|sql|smtp|mail|ftp|pg|ssh|^|[\s\"'{(,])$")
_FLAG = regex.compile(r"(?:^|[\s\"'`(\[])--?[\w-]*$")
_OP = regex.compile(
    r"""(?xi)
    (?: \\?["'] | [`\]*)}»”] ){0,4}
    (?: (?P<tight> = (?![=>\s]) )
      | (?P<pair> \s{0,4},?\s{0,40}\\?["']?value\\?["']?\s?[:=]\s? )  # {"name": "API_KEY", "value": "..."}
      | [ \t]{0,20}  # perhaps a type
        (?: (?::|(?<=[ ]))[ ]?[&*]?(?:'static[ ])?[\w.]{1,20}(?:[ ]?\|[ ]?None|\[[\w ,|.]{1,30}\])? )?
        [ ]? (?P<spaced> :=|=>|={1,3}|!==?|＝ ) [ \t]{0,20}
      | [ \t]{0,4} (?P<colon> [:：] ) [ \t*]{0,20}
      | (?P<xml> > ) (?= [^<>\n]{1,512}</ )
      | [ \t]{1,4} (?P<is> is|was|are|to|as|be|with|ist|lautet|es|est|é|это|–|—|-> ) [ \t:]{1,4}
      | [ \t]{0,2} (?P<cjk> 是|为|為|は|が|는|은|이|가 ) [ \t:：]{0,2}
      | [ \t]{1,4} (?P<gap> (?=["'`]) | (?<=\b(?:setenv|ENV)[ \t]+\w{1,60}[ \t]{1,4}) )
      | [ \t]{1,4} (?P<flag> (?=[^\s\-]) )
    )
    """
)
_HOW = {"tight": "=", "pair": "=", "xml": "=", "gap": "is", "cjk": "is"}  # of kin, one rule
_VALUE = regex.compile(
    r"""(?xi)
    [frbu$@]{0,2} (?P<q> \\?["'`] | [“«„”] ) (?P<v> (?: (?! (?P=q) | [”»\n] ) (?: \\. | [^\\] ) ){1,2048} )
    | (?P<v> (?: [^\s"'`<>,;\\&|“”«»（）。，、] | \\(?![nrt"'`]) ){1,128} )
    """
)
_WIDE = regex.compile(r"""(?P<v>[^\s"'`\\<]{1,128})""")  # after NAME= in a shell or an .env file
_ASCII = regex.compile(r"""["'`“「]?(?P<v>[!-&(-_a-~]{1,256})""")  # in a script without spaces
_REST = regex.compile(r"""[^\s"'`]*""")
_NEAR = regex.compile(
    r"""(?x) (?P<between> (?: [ \t,:"'`(=*]{1,4} \p{L}[\p{L}']{0,19} ){0,4} ) [ \t,:"'`(=*]{1,4}
    (?P<v> [\w+=~!@\#$%^&-]{10,512} ) (?! [\w.(\[/\\:] )"""
)

_PARTS = regex.compile(r"[A-Za-z0-9]{10,}+")
_PIECES = regex.compile(r"[A-Z]*[a-z]{3,}|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_WORDY = regex.compile(r"[\s_./:,;'-]*+(?:(?:[^\W\d_]++\d{0,3}+|\d++)(?:[\s_./:,;'-]++|$))++")
_CODE = regex.compile(r"(?s)[A-Za-z_$][\w$]*+(?:(?:\??\.|::|->)[\w$]++)++!?|[\w.$:>?!&*-]*\w[(\[{].*")
_HOLE = regex.compile(  # variables, templates, paths and URLs, constants' names, rows of x
    r"[\s+,)]|\$[\w{(]|[<{\[(`]|%[sd({]|%\w+%$|[&*]\w+$|[~.]{1,2}/|//|/[\w.@-]+/|[A-Za-z][\w+.-]*://|[A-Z]:\\"
    r"|[A-Z][A-Z0-9]*_[A-Z0-9_]+$|[Xx*._/?#•●…·0-]+$|.*(?:\$[{(]|\{\{|\}\}|<[a-z_ -]+>|\*{3}|\.{3}|…)"
)
_STANDIN = regex.compile(
    r"(?i)x{4}|\byour[_-]|example|placeholder|redacted|change.?(?:me|it)|dummy|replace|insert|todo|masked"
    r"|hidden|encrypted|(?:^|[_-])here$"
)
_NAMES = regex.compile(
    r"(?i)(?:pass(?:word|wd|phrase|wort)?|pwd|secret|token|(?:api|access|secret|private|auth).?key|credential|senha"
    r"|contrase.a|mot de passe|парол[ья]|密[码碼]|パスワード|비밀번호|şifre|heslo|wachtwoord|kennwort)s?"
)
_ID = regex.compile(r"(?i)(?:0x)?[0-9a-f-]+|(?:toolu|msg|req|call|resp|chatcmpl|run|sess|session|sha\d+)[_-].*")
_ABOUT_ID = regex.compile(
    r"(?i)\b(?:commit|sha|hash|u?u?id|digest|checksum|version|branch|model|file|named|called)s?\b"
)
_AWS = regex.compile(r"[A-Za-z0-9/+]{40}")  # IAM: a secret access key
_APP_PASSWORD = regex.compile(r"(?:[a-z]{4} ){3}[a-z]{4}")  # Google's
_STOPGAPS = """
 string str text number int integer bool boolean any object null none nil undefined true false required
 optional hash hashed bcrypt argon2 argon2id pbkdf2 scrypt sha1 sha256 sha384 sha512 md5 base64 base32 utf8
 oauth oauth2 hs256 rs256 es256 auth0 ed25519 x25519 aes256 aes128 uint8 uint16 uint32 uint64 int8 int16 int32
 int64 float32 float64 varchar inherit default empty missing invalid unknown read write stdin env file prompt
 self this input field type value username user email basic bearer digest new await async const let var
 function a an and or the is was in on at to for of from with that which when flag option options argument
 arguments param parameter via not no yes only"""
_WORDS = frozenset(_STOPGAPS.split())  # what stands in a value's place in code, schemas and prose


class Value(NamedTuple):
    """A value and how it is written: op is "=", "spaced", "colon", "is" or "flag"; after: what follows it.

    weak: beside such a word ("password") any word may be a secret; timid: beside such ("pass") few.
    shout: the name is in capitals.
    """

    text: str
    op: str
    after: str
    quoted: bool
    weak: bool
    timid: bool
    shout: bool


def beside(text: str, low: str, at: int) -> tuple[int, int, str] | None:
    """Return start, end and kind of the secret beside the word at `at`, assigned to it or said near it."""
    stem = _STEM.match(text, at, timeout=TIMEOUT)
    kind = _kind(stem, low[max(0, at - 24) : at]) if stem else ""
    if not kind:
        return None
    op = _OP.match(text, stem.end(), timeout=TIMEOUT)
    found = _assigned(text, low, stem, op) if op else None
    if found:
        return (*found, kind)
    near = None if stem["timid"] else _NEAR.match(text, stem.end(), timeout=TIMEOUT)
    return (*near.span("v"), kind) if near and _said(near["v"], near["between"]) else None


def _kind(stem: Any, before: str) -> str:
    """Return what such a name holds, "" if no secret."""
    word = stem[0].lower()
    if stem["weak"]:
        return "secret" if word.startswith("secret") else "password"
    if word.startswith("pass"):
        return "password" if _BARE.search(before, timeout=TIMEOUT) else ""
    if word.startswith("key"):
        return "api-key" if _OPENS.search(before, timeout=TIMEOUT) else ""
    return "" if _COUNTS.search(before, timeout=TIMEOUT) else "token"


def _assigned(text: str, low: str, stem: Any, op: Any) -> tuple[int, int] | None:
    """Return where the value stands that `op` gives the name, if it is a secret."""
    how, at, begin = op.lastgroup, stem.start(), op.end()
    before = low[max(0, at - 24) : at]
    shout = stem[0].isupper() and not text[max(0, at - 1) : at].islower()
    weak = bool(stem["weak"]) or stem[0].lower().startswith("pass")
    if how == "flag" and not _FLAG.search(before, timeout=TIMEOUT):
        return None
    if (how == "gap" and not weak) or (how in ("is", "cjk", "gap") and stem["timid"]):
        return None
    wide = shout and how == "tight" and text[begin : begin + 1] not in tuple("\"'`\\")
    pattern = _WIDE if wide else _ASCII if how == "cjk" else _VALUE
    match = pattern.match(text, begin, timeout=TIMEOUT)
    if not match:
        return None
    quoted = pattern is _VALUE and match["q"] is not None
    word = match["v"] if quoted else match["v"].rstrip(".,:;)]}*|")
    start = match.start("v")
    end = start + len(word)
    if (how == "colon" and not quoted and shout and before.endswith("_")) or (how == "gap" and not quoted):
        how = "="  # PASSWORD: word  in a compose file; ENV PASSWORD word
    value = Value(word, _HOW.get(how, how), text[end : end + 24], quoted, weak, bool(stem["timid"]), shout)
    if not is_assigned(value):
        return None
    return start, _REST.match(text, end, timeout=TIMEOUT).end() if len(word) > 120 and not quoted else end


def looks_random(value: str) -> bool:
    """Whether letters, cases and digits change every two characters; in names (`parse|User`) it is four."""
    for part in _PARTS.findall(value[:512], timeout=TIMEOUT):
        pieces = _PIECES.findall(part, timeout=TIMEOUT)
        if len(pieces) > 3 and len(part) < 3 * len(pieces):
            return True
    return False


def is_hole(value: str) -> bool:
    """Whether this is a variable, a template's hole or a word that stands for a secret."""
    value = value[:64]
    if len(set(value)) < 2 or value.lower() in _WORDS:
        return True
    if _HOLE.match(value, timeout=TIMEOUT) or _NAMES.fullmatch(value.strip("_-: "), timeout=TIMEOUT):
        return True
    return not looks_random(value) and bool(_STANDIN.search(value, timeout=TIMEOUT))


def is_code(value: str) -> bool:
    """Whether this is `an.attribute` or a `call(`."""
    return bool(_CODE.fullmatch(value, timeout=TIMEOUT))


def is_mixed(text: str) -> bool:
    """Whether there are letters and digits, or a character that words don't have."""
    chars = set(text.rstrip("!?"))
    both = any(map(str.isdigit, chars)) and any(map(str.isalpha, chars))
    return both or bool(chars & set("!@#$%^&*~?+"))


def _wordy(text: str) -> bool:
    return bool(_WORDY.fullmatch(text, timeout=TIMEOUT))


def is_assigned(value: Value) -> bool:
    """Whether `name = value`, in any syntax, gives a secret away."""
    text = value.text
    if _AWS.fullmatch(text, timeout=TIMEOUT) and looks_random(text):
        return True
    if len(text) < 4 or not (value.weak or is_mixed(text) or looks_random(text)) or is_hole(text):
        return False
    if not value.quoted and (is_code(text) or (not value.weak and set("()[]{}") & set(text))):
        return "(" not in text and looks_random(text)
    if looks_random(text):
        return True
    if not value.weak:
        return len(text) > 7 and is_mixed(text) and " " not in text and not _wordy(text)
    if " " in text:
        return bool(_APP_PASSWORD.fullmatch(text, timeout=TIMEOUT)) or (is_mixed(text) and not _wordy(text))
    if value.timid and not is_mixed(text):
        return False
    named = _wordy(text) and bool(_NAMES.search(text[:64], timeout=TIMEOUT))
    if value.shout and (value.op in ("=", "flag") or "-" in text):
        return value.quoted or not named or is_mixed(text)
    return not named and text.isascii() and _weak(value)


def _weak(value: Value) -> bool:
    """Whether a plain word after `password` is one, by what code and prose would write there."""
    text = value.text
    if value.quoted and value.op != "is":
        return True
    if text.isdigit():
        return value.op != "is" or not value.after.strip(" .,!)")[:1].isalpha()
    if value.op == "flag":
        return is_mixed(text) or len(text) > 5
    if value.op == "=" and value.after[:1] not in (",", ")", "(", "[", "{"):
        return True
    return len(text) > 4 and is_mixed(text) and (text.isalnum() or not _wordy(text))


def _said(value: str, between: str) -> bool:
    """Whether a value some words away from "password" is one: random, and no hash, id or path."""
    if _ID.fullmatch(value, timeout=TIMEOUT) or _ABOUT_ID.search(between, timeout=TIMEOUT):
        return False
    return not is_hole(value) and looks_random(value)
