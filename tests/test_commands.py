"""Which simple commands a line of shell runs, and where."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempalace.commands import commands, program

RUNS = [
    ("npm i", ["npm i"]),
    ("npm i; yarn", ["npm i", "yarn"]),
    ("npm i && yarn || bun i", ["npm i", "yarn", "bun i"]),
    ("npm i | tee log & yarn", ["npm i", "tee log", "yarn"]),
    ("npm i\nyarn\r\nbun i", ["npm i", "yarn", "bun i"]),
    ("npm \\\n  install", ["npm install"]),
    ("(npm i; yarn)", ["npm i", "yarn"]),
    ("{ npm i; }", ["npm i"]),
    ("! npm i", ["npm i"]),
    ("if npm t; then yarn; else bun i; fi", ["npm t", "yarn", "bun i"]),
    ("while true; do npm t; done", ["true", "npm t"]),
    ("for x in npm yarn; do ls $x; done", ["ls $x"]),
    ("case $x in yarn) ls;; npm|pnpm) ls -l;; esac; npm i", ["ls", "ls -l", "npm i"]),
    ("f() { npm i; }", ["npm i"]),
    ("[[ -f a && npm ]] && ls", ["ls"]),
    ("list=(npm i); ls", ["ls"]),
    ("echo $((1 + 2)); npm i", ["echo $()", "npm i"]),
    ("A=b C='d e' npm i", ["npm i"]),
    ("A=b", []),
    ("x=$(npm i)", ["npm i"]),
    ("sudo -u x npm i", ["sudo -u x npm i", "npm i"]),
    ("env -i A=b npm i", ["npm i"]),
    ("time -p npm i", ["npm i"]),
    ("timeout -k 5 30 npm i", ["npm i"]),
    ("nohup nice -n 5 npm i &", ["npm i"]),
    ("ls | xargs -n 1 npm i", ["ls", "npm i"]),
    ("exec npm start", ["npm start"]),
    ("command -v npm", []),
    ("command npm i", ["npm i"]),
    ("bash -c 'npm i && yarn'", ["npm i", "yarn"]),
    ('sh -lc "npm i"', ["npm i"]),
    ("bash -o pipefail -c 'npm i'", ["npm i"]),
    ("bash script.sh", ["bash script.sh"]),
    ("eval npm i", ["npm i"]),
    ("find . -exec npm i {} \\; -exec yarn +", ["find . -exec npm i {} ; -exec yarn +", "npm i {}", "yarn"]),
    ("echo `npm i` $(yarn)", ["npm i", "yarn", "echo $() $()"]),
    ('echo "$(npm i)"', ["npm i", "echo $()"]),
    ("diff <(npm ls) <(yarn)", ["npm ls", "yarn", "diff /dev/fd /dev/fd"]),
    ("npm i 2>&1 >log <in &>all", ["npm i"]),
    ("2>/dev/null npm i", ["npm i"]),
    ("cat <<< 'npm i'", ["cat"]),
    ("cat <<EOF\nnpm i\nEOF\nls", ["cat", "ls"]),
    ("cat <<-'E F' > x\n\tnpm i\n\tE F\nls", ["cat", "ls"]),
    ("bash <<EOF\nnpm i\nEOF\nls", ["npm i", "ls"]),
    ("git commit -m \"$(cat <<'E'\ndon't npm i (\nE\n)\" && ls", ["cat", "git commit -m $()", "ls"]),
    ("echo 'npm i' \"yarn; bun\"", ["echo npm i yarn; bun"]),
    ("echo npm\\ i\\;yarn", ["echo npm i;yarn"]),
    ("echo $'it\\'s; npm i'", ["echo it's; npm i"]),
    ("# npm i\nls # yarn", ["ls"]),
    ("ls a#b", ["ls a#b"]),
    ("echo 'npm i", ["echo npm i"]),
    (")", []),
    ("", []),
]


@pytest.mark.parametrize(("line", "expected"), RUNS, ids=[repr(line) for line, _ in RUNS])
def test_the_commands_of_a_line_are_found_in_order(line, expected):
    assert [" ".join(command.words) for command in commands(line)] == expected


PLACES = [
    ("cd a && npm i", "a"),
    ("cd a; cd ../b; npm i", "b"),
    ("cd /x/y && npm i", "/x/y"),
    ("cd ~/x && npm i", "~/x"),
    ("(cd a; ls); npm i", ""),
    ("x=$(cd a; pwd); npm i", ""),
    ("cd .. && npm i", ".."),
    ('cd "$D" && npm i', None),
    ("cd - && npm i", None),
    ("cd && npm i", None),
    ("npm --prefix a i", "a"),
    ("npm i --prefix=a", "a"),
    ("pnpm -C a -r i", "a"),
    ("cd a && pnpm --dir b i", "a/b"),
    ("git -C a push", "a"),
    ("git commit -C a", ""),
    ("terraform -chdir=a apply", "a"),
    ("uv --directory a run x", "a"),
    ("uv run x --directory a", ""),
    ("bash -c 'cd a && npm i'", "a"),
    ("cd a && bash -c 'npm i'", "a"),
]


@pytest.mark.parametrize(("line", "folder"), PLACES, ids=[line for line, _ in PLACES])
def test_a_command_knows_its_folder(line, folder):
    assert commands(line)[-1].folder == folder


def test_the_folders_option_is_no_word_of_the_command():
    assert commands("git -C a push -f")[0].words == ("git", "push", "-f")


@pytest.mark.parametrize(
    ("word", "name"), [("/usr/bin/npm", "npm"), ("C:\\n\\npm.cmd", "npm"), ("./gradlew", "gradlew")]
)
def test_a_program_is_known_without_its_folder(word, name):
    assert program(word) == name


SIGNS = st.text("npm i'\"\\$(){}`;&|<>\n#=[]EOF*- \t", max_size=60)


@settings(max_examples=300, deadline=None)
@given(st.one_of(SIGNS, st.text(max_size=60)))
def test_no_line_is_too_odd(line):
    assert all(command.words for command in commands(line))


@settings(max_examples=200, deadline=None)
@given(SIGNS)
def test_a_quoted_command_is_a_mention(line):
    quoted = "'" + line.replace("'", "'\\''") + "'"
    assert [command.words for command in commands("echo " + quoted)] == [("echo", line)]


@pytest.mark.parametrize(
    "piece", ["$(", "`", "(", '"$(', "<<E\n", "case x in ", "find -exec ", "sudo ", "bash -c ", "x;"]
)
def test_a_long_or_deep_line_ends(piece):
    commands(piece * 20_000)
