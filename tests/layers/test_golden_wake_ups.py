"""Whole wake-ups, to be read by a person: `pytest tests/layers --update-golden` writes them anew."""

from pathlib import Path

import pytest
from fill import DAY, START, mine, transcript

from mempalace.layers.wake_up import wake_up

GOLDEN = Path(__file__).parents[1] / "golden"

ENGLISH = [
    (
        "Choose the queue",
        [
            ("prompt", "Where shall the orders wait: in Postgres, or in a queue of their own?"),
            ("narration", "Let me look at what the orders table holds today."),
            (
                "report",
                "We decided to keep the orders queue in Postgres: one more service is not worth the few milliseconds. "
                "The orders table has 40,000 rows at noon.",
            ),
            ("prompt", "Please keep the commit messages short; I read them on my phone."),
        ],
    ),
    (
        "Night export",
        [
            ("prompt", "The night export died again, can you find out why?"),
            ("edit", "export/stream.py"),
            ("edit", "export/night.py"),
            (
                "report",
                "The night export died because the worker ran out of memory. Streaming the orders in batches of 500 "
                "fixed it, and the export passed twice in a row.\n\n- peak memory fell from 900 MB to 90 MB\n"
                "- the invoice mailer is not touched",
            ),
        ],
    ),
    (
        "Deadlock",
        [
            ("prompt", "The scheduler and the worker block each other on the account lock."),
            ("edit", "worker/locks.py"),
            (
                "report",
                "Root cause of the deadlock: scheduler and worker took the two locks in a different order.\n"
                "```\nwith account, order:\n    pass\n```\nBoth take the account lock first now, which is merged.",
            ),
        ],
    ),
    (
        "Invoice mailer",
        [
            ("prompt", "Let the invoice mailer retry three times before it gives up."),
            ("edit", "mailer/retry.py"),
            (
                "report",
                "The invoice mailer now retries three times. The retry helper swallowed the last exception; that is "
                "fixed, and three tests were rewritten.",
            ),
        ],
    ),
    (
        "Roll back the pool",
        [
            ("prompt", "Error rates are up since the larger connection pool went out."),
            ("edit", "db/pool.py"),
            (
                "report",
                "Reverted the connection pool change: error rates fell from 4% to nothing within ten minutes. "
                "The root cause is the limit of 100 connections in Postgres.",
            ),
        ],
    ),
    (
        "Settings page",
        [
            ("prompt", "What could the settings page of the mailer look like on a phone?"),
            (
                "report",
                "We talked through three layouts of the settings page and left the choice for next week.\n\n"
                "| layout | rows |\n|---|---|\n| cards | 4 |",
            ),
        ],
    ),
]
JAPANESE = [
    (
        "キューの置き場所",
        [
            ("prompt", "注文のキューは Postgres に置くべきか、それとも専用のサービスにするべきか。"),
            ("report", "注文のキューは Postgres に置くことに決定した。数ミリ秒のために運用を増やす価値はない。"),
            ("prompt", "コミットのメッセージは短く書いてください。朝はスマートフォンで読んでいます。"),
        ],
    ),
    (
        "夜間のエクスポート",
        [
            ("prompt", "夜間のエクスポートがまた落ちた。原因を調べてほしい。"),
            ("edit", "export/stream.py"),
            (
                "report",
                "夜間のエクスポートはメモリ不足で失敗していた。注文を五百行ずつ読むように修正した。二回続けて成功した。",
            ),
        ],
    ),
    (
        "デッドロック",
        [
            ("prompt", "スケジューラとワーカーが口座のロックで互いに止まっている。"),
            ("edit", "worker/locks.py"),
            (
                "report",
                "デッドロックの根本原因は、スケジューラとワーカーでロックの順番が違っていたことだった。"
                "今は両方とも先に口座のロックを取るように修正した。",
            ),
        ],
    ),
    (
        "請求書のメール",
        [
            ("prompt", "請求書のメールは三回まで再試行してから諦めるようにしてほしい。"),
            ("report", "再試行の関数が最後の例外を握りつぶしていた問題を修正し、ブランチをマージした。"),
        ],
    ),
    (
        "接続プール",
        [
            ("prompt", "接続プールを大きくしてからエラーが増えている。"),
            ("report", "接続プールの変更をロールバックした。エラー率は十分で四パーセントからゼロになった。"),
        ],
    ),
]


@pytest.mark.parametrize(
    ("name", "sessions"), [("english", ENGLISH), ("japanese", JAPANESE)], ids=["english", "japanese"]
)
def test_a_small_palace_tells_this_story(name, sessions, tmp_path, palace, request):
    project = tmp_path / "ledger"
    project.mkdir()
    for n, (title, turns) in enumerate(sessions):
        transcript(
            tmp_path / "log", project, turns, session=f"{name}-{n}", at=START + n * DAY, title=title,
            branch="main" if n % 2 else f"work/{n}",
        )  # fmt: skip
    mine(palace, tmp_path / "log")
    (palace / "identity.md").write_text("Ada keeps the ledger. Answer her in one paragraph.\n")
    text = wake_up(str(palace), cwd=str(project), env={}).text
    golden = GOLDEN / f"wake-up-{name}.txt"
    if request.config.getoption("--update-golden", default=False):
        golden.write_text(text + "\n", "utf-8")
    assert text + "\n" == golden.read_text("utf-8")
