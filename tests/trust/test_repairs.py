"""Which subjects tell of a repair, and what evidence it leaves."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempalace.trust.repairs import ORIGIN, SHORT, defects, is_repair

REPAIRS = """
fix: keep the beam steady
fix(lens)!: turn it the right way
Fix(lens): turn it
bugfix: fog
hotfix: relight
Hotfix/2.1 relight the lamp
[bugfix] the horn
(fix) the horn
Fixes #12
Fix crash at dusk
Fixed the stairs
Fixing the stairs
bug fix for the horn
BUG: wrong sum of nights
Bug 1234 - the horn is mute
LAMP-12: Fix the wick
[LAMP-12] fix the wick
#12 fix the wick
lamp/wick: fix a leak
lamp: wick: fixed it
Revert "Paint the tower red"
revert: feat: paint the tower
:bug: the horn
🐛 the horn
🚑 relight
Behebe Absturz am Abend
Fehler in der Lampe behoben
Corrige le faisceau
Corrección del faro
Corrige o farol
Corretto il faro
Herstel de lamp
Naprawa lampy
Исправить падение
Виправлено лампу
Düzeltme: fener
Sửa lỗi đèn
修复 崩溃
ランプの不具合を修正
버그 수정
แก้ไขโคมไฟ
""".strip().splitlines()
OTHERS = """
Add a lamp
feat: fix the price of oil
docs: fix a link
test: fix a flaky test
ci: fix the runner
chore(deps): fix versions
Fix typo
Fix a typo in the keeper's name
fix: spelling
Fix docs
fix the README
fix lint
Fix formatting
prefix: add one
Add a fixture
fixture: a lamp
fixup! Add a lamp
Fix-up of names
Debug output
bugs are fun
Add a fix for later
Revert "Revert "Paint the tower red""
Reverting is hard
Popularise the tower
Korrigiere Tippfehler
Исправить опечатку
修正错别字
fi
""".strip().splitlines()


@pytest.mark.parametrize("subject", REPAIRS)
def test_a_repair_is_known_by_its_subject(subject):
    assert is_repair(subject)


@pytest.mark.parametrize("subject", [*OTHERS, "", "   "])
def test_another_commit_is_no_repair(subject):
    assert not is_repair(subject)


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_subject_is_judged_whatever_it_holds(subject):
    assert is_repair(subject) in (True, False)


@pytest.mark.parametrize("piece", ["1 #1 ", "1##", "a: ", "[A-1] ", "-", "fix ", "修"])
def test_a_subject_of_any_length_is_judged(piece):
    assert is_repair(piece * 20_000) in (True, False)


def told(subject="fix: relight", paths=("lamp.py", "wick.py"), **changed):
    return defects(subject, paths, **{"made_at": 100, "at": 200, "wing": 3, **changed})


def test_a_repair_is_a_defect_of_each_file_it_touched():
    found = told("fix:  relight\tthe lamp")
    assert [one.subject for one in found] == ["file::lamp.py", "file::wick.py"]
    assert {(one.outcome, one.weight, one.origin, one.wing, one.at) for one in found} == {
        ("wrong", 0.5, ORIGIN, 3, 200)
    }
    assert {one.why for one in found} == {"fix: relight the lamp"}
    assert len({one.key for one in found}) == 2


def test_a_repair_stays_the_same_event_when_it_is_committed_anew():
    assert [one.key for one in told(at=200)] == [one.key for one in told(at=999)]
    assert {one.key for one in told()}.isdisjoint(one.key for one in told(made_at=101))
    assert {one.key for one in told()}.isdisjoint(one.key for one in told(wing=4))


def test_a_repair_too_wide_to_blame_a_file_blames_none():
    assert len(told(paths=[f"{n}.py" for n in range(50)])) == 50
    assert told(paths=[f"{n}.py" for n in range(51)]) == []


def test_what_is_no_repair_leaves_no_evidence():
    assert told("Add a lamp") == []


def test_a_long_subject_is_cut():
    assert len(told("fix: " + "x" * 500)[0].why) == SHORT
