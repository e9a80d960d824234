"""Sentences that must not be lost: what binds, and what says who somebody is. English and Chinese."""

import re

_BINDING = re.compile(
    r"""(?<! a [ ] ) \b must \b (?! [ ]? - | '?ve\b | [ ]+ (?: be|have|'ve|feel|look|seem|sound|mean|love|enjoy|really|add ) \b )
      | (?<! you ) (?<! [hw]e ) (?<! they ) [ ] must [ ]+ be [ ]+ (?: \w+ed|done|made|kept|sent|paid ) \b
      | \b mustn't \b | \b shall [ ]+ not \b | \b promise[ds]? \b
      | (?: ^ | [.;:!?–—][ ]* | \b (?: please|should|must|may|can|will|shall|so|that|do ) [ ]+ ) never [ ]+
        (?! (?: mind|say|give[ ]up|been|had|saw|seen|\w+ed ) \b ) \w
      | (?: ^ | [.,;:!?–—][ ]* | \b please [ ]+ ) do [ ]+ not [ ]+ (?! (?: worry|know|think ) \b ) \w
      | \b please [ ]+ don't \b
      | 必须 | 务必 | 不要 | 绝不 | 决不 | 绝对不 | 切勿 | 禁止 | 不得 | 不准 | 不许 | 千万[别不] | 永远不 | 答应 | 承诺 | 保证""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""Must, never and promised, where they bind: not "you must be tired", "a must", "never give up" or "I have never been there"."""

_KEY = re.compile(
    r"""\b my [ ]+ (?:\w+[ ]+)? (?: name|birthday|address|e-?mail|phone|number|budget|deadline ) [ ]* (?:number[ ]*)? (?: is\b|'s\b|: )
      | \b call [ ]+ me \b
      | (?: \b (?: is | am | are ) | 'm | 's ) [ ]+ (?: called | named | allergic | vegan | vegetarian ) \b
      | \b i [ ]+ (?: live [ ]+ in | work [ ]+ (?: as | at | for ) | prefer ) \b
      | \b remember [ ]+ (?: that | this | to ) \b
      | \b (?: name | deadline | budget | address ) [ ]+ is \b
      | 我叫 | 名字 | 叫我 | 名叫 | 我住 | 过敏 | 我的? (?: 生日|地址|邮箱|电话|手机|订单|预算 ) | 记住 | 记得 | 预算是 | 截止""",
    re.IGNORECASE | re.VERBOSE,
)
"""What says who somebody is, and what he needs."""


def binds(text: str) -> bool:
    """Does the text say what must be, what must never be, or what was promised?"""
    return bool(_BINDING.search(text.replace("’", "'")))


def is_key(sentence: str) -> bool:
    """Does the sentence bind, or say who somebody is or what he needs, so that it is worth a piece of its own?"""
    return binds(sentence) or bool(_KEY.search(sentence.replace("’", "'")))
