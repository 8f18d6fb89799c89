"""
The fixed sentences of a judgement, in English and in Chinese, complete in both (a test holds it).

What a gate is about is not in here: that is data of a gate set. The first words of the output lines (`GATE_FAILED`)
are in neither language, since programs read them.
"""

from collections.abc import Mapping
from typing import Literal

Lang = Literal["en", "zh"]
LANGUAGES: tuple[Lang, ...] = ("en", "zh")

TEXTS: Mapping[Lang, Mapping[str, str]] = {
    "en": {
        "values": "Measured: {values}.",
        "between": "; ",
        "comma": ", ",
        "after_sentence": " ",
        "more": "and {n} more",
        "undeclared": "failed. It is not a gate of {gate_set}, so there is no hint for it.",
        "more_gates": "and {n} more failed gates: repair the ones above first.",
        "no_verdict": "no verdict was produced: {found}. The gates did not run to their end, and nothing was proven.",
        "found_nothing": "there is none",
        "found_other": "there is {what} where an object with pass and guards is expected",
        "found_no_guards": "it has no guards",
        "found_empty_guards": "its guards are empty",
        "found_other_guards": "its guards are {what} and not an object",
        "red": (
            "the verdict is red although no gate in it failed: its pass is {found} and not true. "
            "Whoever wrote it holds something against the run that no gate says; look at how the gates ran."
        ),
        "unproven": "proves nothing: a guard is an object whose pass is true or false (found {found}).",
        "passed": "all {n} gates passed",
        "passed_1": "the only gate passed",
        "lacking": ("the verdict lacks {missing} of the {declared} gates of {gate_set}: nothing was proven of {gates}"),
        "failed": "{failed} of {n} gates failed: {gates}",
        "unproven_reason": "nothing was proven by {unproven} of {n} guards: {gates}",
        "an_array": "an array",
        "an_object": "an object",
        "absent": "absent",
    },
    "zh": {
        "values": "实测：{values}。",
        "between": "；",
        "comma": "，",
        "after_sentence": "",
        "more": "另有 {n} 项",
        "undeclared": "未通过。它不是 {gate_set} 声明的关卡，因此没有修复提示。",
        "more_gates": "另有 {n} 个关卡未通过：请先修复上面列出的关卡。",
        "no_verdict": "没有产生判定：{found}。关卡没有运行到底，什么也没有得到证明。",
        "found_nothing": "判定不存在",
        "found_other": "应为含有 pass 和 guards 的对象，实为{what}",
        "found_no_guards": "其中没有 guards",
        "found_empty_guards": "其中的 guards 为空",
        "found_other_guards": "其中的 guards 是{what}，不是对象",
        "red": (
            "判定为红，但其中没有一个关卡失败：它的 pass 是 {found}，不是 true。"
            "写出判定的一方另有理由，而没有关卡说明它；请检查关卡是如何运行的。"
        ),
        "unproven": "什么也没有证明：关卡应是 pass 为 true 或 false 的对象（实为 {found}）。",
        "passed": "{n} 个关卡全部通过",
        "passed_1": "唯一的关卡已通过",
        "lacking": "{gate_set} 的 {declared} 个关卡中有 {missing} 个不在判定中：{gates} 没有得到任何证明",
        "failed": "{n} 个关卡中有 {failed} 个未通过：{gates}",
        "unproven_reason": "{n} 个关卡中有 {unproven} 个什么也没有证明：{gates}",
        "an_array": "数组",
        "an_object": "对象",
        "absent": "缺失",
    },
}
"""By language and key. The placeholders are filled in by `say`, and only with text that is ours or was spelled out."""


def say(lang: Lang, key: str, /, **values: object) -> str:
    """Return a sentence; `n=1` takes the singular where there is one. Raises `KeyError` for an unknown language."""
    texts = TEXTS[lang]
    if values.get("n") == 1 and f"{key}_1" in texts:
        key = f"{key}_1"
    return texts[key].format(**values)
