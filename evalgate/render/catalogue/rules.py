"""What people read about a rule, in Chinese. English stands in the rules themselves."""

from collections.abc import Mapping
from typing import NamedTuple


class SignalText(NamedTuple):
    """What people read about a rule on a page."""

    title: str
    next_step: str
    columns: tuple[str, ...]


_CASE = ("用例",)
_CHANGE = ("用例", "之前", "之后")

CHINESE: Mapping[str, SignalText] = {
    "REGRESSIONS": SignalText("回归", "先看第一个失败的断言或错误；在用例重新通过之前不要合并。", _CHANGE),
    "NEW_FAILURES": SignalText("新增失败", "修好新用例，或在它能通过之前不要把它加入评测集。", _CHANGE),
    "IMPROVEMENTS": SignalText("改善", "如果是有意的修复，请更新基线，使它以后能发现倒退。", _CHANGE),
    "ADDED": SignalText("新增用例", "更新基线，使新用例从此参与比较。", _CASE),
    "REMOVED": SignalText("消失的用例", "确认是有意删除、运行没有被过滤，然后更新基线。", _CASE),
    "TOKEN_REGRESSIONS": SignalText(
        "token 用量上升",
        "比较两次运行的步骤和工具调用；如果增长是有意的，请更新基线。",
        ("用例", "之前的 token", "之后的 token", "增幅"),
    ),
    "SKIPPED_LINE_INCREASES": SignalText(
        "丢失的跟踪行增多", "先查明跟踪为何丢行：断言可能建立在不完整的数据上。", _CHANGE
    ),
    "FLAKY": SignalText("新的不稳定用例", "查看失败的那次尝试；在查明原因之前不要把本次运行接受为基线。", _CASE),
    "TOOL_ERROR_RECOVERIES": SignalText("工具错误后恢复", "查看工具说了什么：答案是对的，途中有东西坏了。", _CASE),
    "REPEATED_ERROR_SIGNATURES": SignalText(
        "重复的错误签名", "查找这些尝试共享的状态：目录、端口、缓存、账号。", ("签名", "次数", "基线中", "用例")
    ),
    "BASELINE_FLAKY": SignalText("基线中的不稳定用例", "修好它并更新基线：在那之前不会再报告它的不稳定。", _CASE),
    "UNRELIABLE": SignalText(
        "不可靠的用例",
        "查看失败的试验；如果理由说阈值无法达到，请增加试验次数。",
        ("用例", "通过的试验", "成功率", "下界"),
    ),
    "BASELINE_FAILING": SignalText("基线中的失败用例", "修好它并更新基线：在那之前不会再报告它的失败。", _CASE),
    "DSH_VERSION_CHANGED": SignalText(
        "版本变化", "如果还有别的发现，先怀疑升级：再运行一次还会出现吗？", ("之前的版本", "之后的版本")
    ),
    "HARNESS_VERSION_CHANGED": SignalText(
        "评测框架版本变化", "如果还有别的发现，请在相同条件下重新运行基线。", ("之前的版本", "之后的版本")
    ),
    "PROFILE_CHANGED": SignalText(
        "配置变化", "如果还有别的发现，请在相同条件下重新运行基线。", ("之前的配置", "之后的配置")
    ),
    "CASE_SET_CHANGED": SignalText(
        "用例集变化",
        "如果评测集不是有意改动的，请查找过滤条件、改名的目录或丢失的分片。",
        ("之前的用例数", "之后的用例数", "新增", "消失"),
    ),
    "INCOMPLETE_AFTER": SignalText("运行不完整", "查明运行为何提前结束并重新运行；它不能成为基线。", ("不完整的原因",)),
    "INCOMPLETE_BEFORE": SignalText(
        "基线不完整", "用一次完整的运行替换基线：它缺少的用例无法比较。", ("不完整的原因",)
    ),
    "NOT_RUN": SignalText("未运行的用例", "如果它也被列为消失，请查明是谁、为何关闭了它。", _CASE),
    "CASES_CHANGED": SignalText("被修改的用例", "把这些用例的发现当作新用例来看，并更新基线。", _CASE),
    "NOTES": SignalText("关于报告的说明", "读一遍；多数说明指出如何让评测集的比较更可靠。", ("说明",)),
    "FLAKY_WORSENED": SignalText(
        "变得更糟的不稳定用例", "修好它，或以多次试验运行，看它多常通过。", ("用例", "之前失败的尝试", "之后失败的尝试")
    ),
    "TRIALS": SignalText(
        "试验结果变化",
        "如果经 Holm 校正后 p 仍然很小，请当作回归处理；否则增加试验次数。",
        ("用例", "之前通过", "之后通过", "p", "Holm 校正后"),
    ),
    "OUTAGE": SignalText("故障", "看一个用例；如果原因不在改动之内，请重新运行整个评测集。", ("原因", "用例数", "共")),
    "REPAIR_INCREASES": SignalText(
        "修复次数增多",
        "查看该用例第一个未通过的轮次；如果多数用例都增多，先看提示词或模型。",
        ("用例", "之前的修复次数", "之后的修复次数"),
    ),
    "BUDGET_SOFT_TRIPPED": SignalText(
        "触及软预算", "查看该用例的费用、token 和修复次数；如果增长是有意的，请提高上限。", _CASE
    ),
    "COST_GATE_DEGRADED": SignalText("费用监控降级", "查明服务为何不知道模型的价格，或运行为何没有留下总结。", _CASE),
}
"""By the key of the rule, complete: a test holds it against the registry."""
