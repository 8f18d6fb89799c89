"""
What stands above the rules, in Chinese: reasons, incidents, in what two reports differ.

English stands where it is found, in gate.py and in the rules. What a line says is made from the facts again and not
translated: a name out of a report could look like any sentence.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalgate.gate import Difference, GateResult
from evalgate.numbers import decimal_text
from evalgate.signals import Fired, dsh_version, error_signature, outage, reliability, token_regression
from evalgate.signals.error_signature import RepeatedSignature
from evalgate.verdict import Verdict
from evalgate.wilson import trials_needed

_SHOWN = 5

TEXTS: Mapping[str, str] = {
    "no_before": "没有基线报告：未作任何比较",
    "nothing_judged": "新的报告中没有用例：未作任何判断",
    "before_empty": "基线报告中没有用例：未作任何比较",
    "nothing_compared": "没有两份报告都有的用例，因此未作任何比较：用例改名了，还是换了另一个评测集？",
    "pass": "比较了 {n} 个用例，没有变差",
    "pass_with": "比较了 {n} 个用例，没有阻止合并的发现",
    "cleared": "{n} 个用例失败后重跑通过，这是不稳定，不是通过：{names}",
    "and_more": "{names}，还有 {n} 个",
    "counted": "{title}：{n}",
    "named": "{title}：{n}（{names}）",
    "one": "{title}：{parts}",
    "format": "之前的报告格式为 {before}，之后为 {after}",
    "tool": "之前的报告由 {before} 写出，之后由 {after} 写出",
    "suite": "之前评测的是 {before}，之后是 {after}",
    "unsaid": "（未说明）",
    "incident": "{signature}：{cases} 个用例 [{names}] 中有 {n} 次尝试，基线中 {known} 次，{outcome}{change}",
    "all_recovered": "重试后全部恢复",
    "some_recovered": "重试后 {n} 个恢复",
    "change": "，{subject} {before} -> {after}",
    "version": "被测版本",
    "threshold": "；阈值为 {rate}",
    "needed": "，全部通过也至少需要 {n} 次试验",
    "impossible": "，任何次数的试验都无法达到",
    "allowed": "；允许的增幅为 {pct}%",
    "versions": "；不同版本的结果不能直接比较",
    "recovered": "，其中 {n} 个之后恢复",
    "shared": "{recovered}；请查找共同的原因",
    "outage": "；本次运行测到的是故障，请重新运行",
}


def reasons(result: GateResult, titles: Mapping[str, tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Yield the reasons for a verdict; `titles` has title and columns of each rule by its key."""
    if result.before is None:
        yield TEXTS["no_before"]
    elif result.verdict is Verdict.NOT_APPLICABLE:
        yield TEXTS["nothing_judged"]
    elif not result.before.cases:
        yield TEXTS["before_empty"]
    elif result.compared == 0:
        yield TEXTS["nothing_compared"]
    elif result.verdict is Verdict.PASS:
        yield TEXTS["pass_with" if any(one.signal.worse for one in result.by_severity()) else "pass"].format(
            n=result.compared
        )
    if result.cleared:
        yield TEXTS["cleared"].format(n=len(result.cleared), names=_some(result.cleared))
    for fired in result.by_severity():
        title, columns = titles[fired.signal.key]
        yield _reason(fired, title, columns) + _more(result, fired)


def _reason(fired: Fired[Any], title: str, columns: Sequence[str]) -> str:
    """Return what a rule found in one sentence: of a change of the whole run its values, else how many and which."""
    number = len(fired.findings)
    rows = [fired.signal.row(finding) for finding in fired.findings[:_SHOWN]]
    if fired.signal.single and rows:
        return TEXTS["one"].format(title=title, parts=_cells(columns, rows[0]))
    if not columns:
        return TEXTS["counted"].format(title=title, n=number)
    shown = [row[0] if len(row) == 1 else f"{row[0]}：{_cells(columns[1:], row[1:])}" for row in rows]
    names = ("; " if any(len(row) > 1 for row in rows) else ", ").join(shown)
    if number > len(rows):
        names = TEXTS["and_more"].format(names=names, n=number - len(rows))
    return TEXTS["named"].format(title=title, n=number, names=names)


def _cells(columns: Sequence[str], cells: Sequence[str]) -> str:
    return "，".join(f"{column} {cell}" for column, cell in zip(columns, cells, strict=True))


def _more(result: GateResult, fired: Fired[Any]) -> str:
    """Return what a rule's English reason says beside its findings."""
    if fired.signal is reliability.SIGNAL:
        return _threshold(result)
    if fired.signal is token_regression.SIGNAL:
        return TEXTS["allowed"].format(pct=decimal_text(result.options.token_pct))
    if fired.signal is outage.SIGNAL:
        return TEXTS["outage"]
    if fired.signal is dsh_version.SIGNAL:
        return TEXTS["versions"]
    if fired.signal is error_signature.SIGNAL:
        recovered = sum(finding.recovered + finding.repaired for finding in fired.findings)
        return TEXTS["shared"].format(recovered=TEXTS["recovered"].format(n=recovered) if recovered else "")
    return ""


def _threshold(result: GateResult) -> str:
    """Return what the threshold of the success rate takes; empty when it is off."""
    rate = result.options.success_rate
    if rate is None:
        return ""
    needed = trials_needed(rate)
    said = TEXTS["threshold"].format(rate=decimal_text(rate))
    return said + (TEXTS["impossible"] if needed is None else TEXTS["needed"].format(n=needed))


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    more = len(names) - _SHOWN
    return TEXTS["and_more"].format(names=shown, n=more) if more > 0 else shown


def story(finding: object) -> str | None:
    """Return the incident that a finding tells of, None when it is none."""
    if not isinstance(finding, RepeatedSignature) or not finding.newly_flaky:
        return None
    all_of_them = finding.recovered == len(finding.cases)
    change = ""
    if finding.versions is not None:
        subject = finding.subject if finding.subject == "dsh" else TEXTS["version"]
        change = TEXTS["change"].format(subject=subject, before=finding.versions[0], after=finding.versions[1])
    return TEXTS["incident"].format(
        signature=finding.signature,
        n=finding.occurrences,
        cases=len(finding.cases),
        names=", ".join(finding.cases),
        known=finding.in_baseline,
        outcome=TEXTS["all_recovered"] if all_of_them else TEXTS["some_recovered"].format(n=finding.recovered),
        change=change,
    )


def difference(one: Difference) -> str:
    """Return in what two reports differ."""
    unsaid = TEXTS["unsaid"]
    return TEXTS[one.what].format(before=one.before or unsaid, after=one.after or unsaid)
