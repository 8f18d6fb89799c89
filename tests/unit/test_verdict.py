"""The three scales: severity, verdict, exit code."""

import pytest

from evalgate.verdict import ExitCode, Severity, Verdict, exit_code, verdict_of


@pytest.mark.parametrize(
    ("verdict", "strict", "code"),
    [
        (Verdict.PASS, False, 0),
        (Verdict.PASS, True, 0),
        (Verdict.WARN, False, 0),
        (Verdict.WARN, True, 2),
        (Verdict.FAIL, False, 1),
        (Verdict.FAIL, True, 1),
        (Verdict.NOT_APPLICABLE, False, 2),
        (Verdict.NOT_APPLICABLE, True, 2),
    ],
)
def test_exit_code_of_each_verdict(verdict, strict, code):
    assert exit_code(verdict, strict=strict) == code


@pytest.mark.parametrize(
    ("highest", "verdict"),
    [
        (None, Verdict.PASS),
        (Severity.INFO, Verdict.PASS),
        (Severity.WARN, Verdict.WARN),
        (Severity.FAIL, Verdict.FAIL),
    ],
)
def test_verdict_of_the_highest_severity(highest, verdict):
    assert verdict_of(highest) is verdict


def test_every_verdict_is_spelled_as_the_contract_has_it():
    assert [one.value for one in Verdict] == ["PASS", "WARN", "FAIL", "N/A"]


def test_the_numbers_that_pipelines_branch_on():
    assert [(one.name, int(one)) for one in ExitCode] == [
        ("OK", 0),
        ("FAIL", 1),
        ("NOT_OK", 2),
        ("CANNOT_JUDGE", 3),
        ("INTERRUPTED", 130),
    ]


def test_severities_are_ordered():
    assert Severity.INFO < Severity.WARN < Severity.FAIL
