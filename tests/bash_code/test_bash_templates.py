"""Templates and the canonical form: the examples of the spec, and what each rule is for."""

import pytest

from nl2code.bash_code import canonical, flags, template, utilities


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls -la /tmp", "ls -l -a File"),
        ("egrep p f", "grep -E Regex File"),
        ("ls | xargs rm", "ls | xargs -I {} rm {}"),
        ("find", "find Path"),
        ("find -name x", "find Path -name Regex"),
        (
            r"find . -name a -o -name b -a -type f",
            "find Path -name Regex -or -name Regex -and -type f",
        ),
        ("find . -type d , -type f", "find Path -type d -and -type f"),
        ("head -10 f", "head - Quantity File"),
        ("find . -mtime -2", "find Path -mtime -Timespan"),
        ('ssh h "ls -l"', 'ssh Regex " ls -l "'),
        ('watch "ls"', 'watch " ls "'),
        ("sudo /bin/rm f", "rm File"),
        ("$ /usr/bin/find .", "find Path"),
        ("# ls", "ls"),
        ("find . -exec rm '{}' ';'", r"find Path -exec rm {} \;"),
        ("tar xvf a.tar", "tar -x -v -f File"),
    ],
)
def test_the_examples_of_the_paper_hold(command, expected):
    assert template(command) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("sort -nk2 -t: f", "sort -n -k 2 -t : f"),
        ("grep -A5 -ie p f", "grep -A 5 -i -e p f"),
        ("grep --colour=auto --max-c=3 p", "grep --colour=auto --max-count=3 p"),
        ("od -w16 -An f", "od -w16 -A n f"),
        ("tar czfC a.tgz dir .", "tar -c -z -f a.tgz -C dir ."),
        ("wc -l `find . -name '*.c'`", "wc -l $(find . -name '*.c')"),
        ('cd "$(dirname $0)"', 'cd "$(dirname $0)"'),
        ("ls | xargs -I% mv % $(basename % .c)", "ls | xargs -I {} mv {} $(basename {} .c)"),
        ("ls | xargs -0 -i cp {} d", "ls | xargs -0 -I {} cp {} d"),
        ("ls | xargs -n1 -- rm -f", "ls | xargs -n 1 -I {} rm -f {}"),
        ("ls | xargs", "ls | xargs"),
        ("find . -exec grep -l x {} \\+", "find . -exec grep -l x {} +"),
        ("find . -exec echo '+' \\;", "find . -exec echo '+' \\;"),
        ("find . -exec rm {} \\", "find . -exec rm {} \\;"),
        ("find . ( -name a -o -name b )", "find . \\( -name a -or -name b \\)"),
        ("find /a \\! -name b", "find /a ! -name b"),
        ("find . \u2013name \u201c*.c\u201d", 'find . -name "*.c"'),
        ("x=$(date +%F)", "x=$(date +%F)"),
        ("TZ=UTC date", "TZ=UTC date"),
        ("env -i LC_ALL=C sort -u", "env -i LC_ALL=C sort -u"),
        ('ssh h "echo \\"a\\""', 'ssh h "echo \\"a\\""'),
        ("sudo -u me chown -R a:b d", "chown -R a:b d"),
        ("tail -f log | grep x &", "tail -f log | grep x &"),
        ("sh -c'ls -l'", "sh -c 'ls -l'"),
        ("find . -\\( -name 'a'-exec rm {} \\; \\)", "find . \\( -name 'a' -exec rm {} \\; \\)"),
        ("cut -d\\  -f1", "cut -d ' ' -f 1"),
    ],
)
def test_a_command_has_one_form_and_keeps_it(command, expected):
    assert canonical(command) == expected
    assert canonical(expected) == expected
    assert template(expected) == template(command)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("chmod +x f", "chmod +Permission File"),
        ("chmod -w f", "chmod -Permission File"),
        ("find . -perm -o+w", "find Path -perm -Permission"),
        ("tail -n +3 f", "tail -n +Quantity File"),
        ("cut -f -3", "cut -f -Number"),
        ("find . -size +1M", "find Path -size +Size"),
        ("date '+%F %T'", "date '+%F %T'"),
        ("mount -t nfs -o ro a b", "mount -t nfs -o ro File Directory"),
        ("find . -fprintf f '%p\\n'", "find Path -fprintf File '%p\\n'"),
        ("mv {}.txt d", "mv File File"),
        ("grep -e a -f b c", "grep -e Regex -f File File"),
        ("chown --reference=a b", "chown --reference File File"),
        ("cat a /lib/$(uname -r)/b", "cat File File"),
        ("diff <(ls a) <(ls b)", "diff <( ls File ) <( ls File )"),
        ("./run.sh -x | wc -l", "Program Regex | wc -l"),
        ('ssh h "$cmd"', "ssh Regex Program"),
        ("x=`pwd`/a", "Variable= Regex"),
        ("ls > f", "ls > File"),
    ],
)
def test_arguments_have_types_and_keep_their_sign(command, expected):
    assert template(command, redirects=True) == expected


def test_utilities_and_flags_of_nested_commands_count_in_order():
    command = 'find . -exec sh -c "ls -l {}" \\; | xargs -0 wc | tee "$(date -u)" >(cat -n)'
    assert utilities(command) == ["find", "sh", "ls", "xargs", "wc", "tee", "date", "cat"]
    assert flags(command) == ["-exec", "-c", "-l", "-0", "-I", "-u", "-n"]


def test_commands_inside_a_word_count_too():
    assert utilities('echo "it is $(date) in $(pwd)"') == ["echo", "date", "pwd"]
