"""A text with full-width signs made ASCII and traditional Chinese characters simplified ones, character for character, so that places in it
stay places in what was said.
"""

import re

_FULL_WIDTH = 0xFEE0  # U+FF01…U+FF5E are ! … ~ of ASCII, this far behind
_ALPHANUMERIC = (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))

_LETTERS: dict[int, int] = {code: code - _FULL_WIDTH for code in _ALPHANUMERIC}
_LETTERS |= {0x3000: ord(" "), 0xA0: ord(" "), 0xFF03: ord("#")}
_LETTERS |= dict.fromkeys((code for code in (*range(32), *range(0x7F, 0xA0)) if code != ord("\n")), ord(" "))  # control characters
_LETTERS |= dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)  # lone surrogates, which UTF-8 has no bytes for

# The characters of the shipped rules, as they are written in Taiwan, Hong Kong and Macau, in the order of Unicode.
_TRADITIONAL = (
    "並亞併來係俬倆個們倫備傢價儲兒內兩凍別刪則剋剛劇動務勝勞區卽厲參員唄唸問喫單喲嗎嘍嘗噠噹嚐嚴囌國圍園圓圖報場塊墰壇壜壞媽"
    "學宮寧寫寬寶將專對層島峽崑帳帶幣幫幾庫廈廟廢廣廳張彆彿後從復愛慶應懞戶捨掛揚換損擇據擾敎敗數斷於旂時暫書會朮東査條棊棟棧"
    "業極樂樓標樣橋機檔檯櫃歡殘氣決沒淩淺準溫溼滷漢濕濛濟濰濱瀋灣為烏無煙煩熱燒營爲爾牀現環甦甯異當發盃盤眞矇確碼磯礙禮種稱穀"
    "窪筆箇簡粵紀約紅紐級細紹結絕絡給統絶經綠綫網緑線編緻縣總繫繼續纔罈罎翫聯聽肅脩臨臺與興舊舘莊華菸萬蒐蔘薦薩藍藝蘇蘭處號蝦"
    "蠍蠟術衕衚裏裡製複見親覺覽觀訂託記設許訴評詢話該詳認語誤說説誰調請講謝議護讀變讓讚豐貨貴買費賓賣賬購贊跡蹟車軌較輕輛輸轉"
    "辦迴這連週遊運過達遞遠適選遺遼還邊郵鄉鄭醫鈕鈡鉆鉑銀銷鋪錢錫錯鍋鍵鍾鎖鎭鎮鐘鐵鑽長門閃開間閤閨闆關陝陸陽際隻雙離雲電韆韓"
    "韻響頁順須預頭題額顏顔類顯風颱飯餃餘餚館駕驛體髮鬍鬚魯鮮鳥鴨鹵麥麪麫麵麼麽黃點齊齣龍"
)
_SIMPLIFIED = (
    "并亚并来系私俩个们伦备家价储儿内两冻别删则克刚剧动务胜劳区即厉参员呗念问吃单哟吗喽尝哒当尝严苏国围园圆图报场块坛坛坛坏妈"
    "学宫宁写宽宝将专对层岛峡昆帐带币帮几库厦庙废广厅张别佛后从复爱庆应蒙户舍挂扬换损择据扰教败数断于旗时暂书会术东查条棋栋栈"
    "业极乐楼标样桥机档台柜欢残气决没凌浅准温湿卤汉湿蒙济潍滨沈湾为乌无烟烦热烧营为尔床现环苏宁异当发杯盘真蒙确码矶碍礼种称谷"
    "洼笔个简粤纪约红纽级细绍结绝络给统绝经绿线网绿线编致县总系继续才坛坛玩联听肃修临台与兴旧馆庄华烟万搜参荐萨蓝艺苏兰处号虾"
    "蝎蜡术同胡里里制复见亲觉览观订托记设许诉评询话该详认语误说说谁调请讲谢议护读变让赞丰货贵买费宾卖账购赞迹迹车轨较轻辆输转"
    "办回这连周游运过达递远适选遗辽还边邮乡郑医钮钟钻铂银销铺钱锡错锅键钟锁镇镇钟铁钻长门闪开间合闺板关陕陆阳际只双离云电千韩"
    "韵响页顺须预头题额颜颜类显风台饭饺余肴馆驾驿体发胡须鲁鲜鸟鸭卤麦面面面么么黄点齐出龙"
)
_SCRIPT = str.maketrans(_TRADITIONAL, _SIMPLIFIED)
_SIGNS = {code: code - _FULL_WIDTH for code in range(0xFF01, 0xFF5F)} | {0x2019: ord("'"), 0x2212: ord("-")} | _SCRIPT


def clean(text: str) -> str:
    """Letters and digits of full width are ASCII; each control character but a line's end is a blank."""
    return text.translate(_LETTERS)


def folded(text: str) -> str:
    """The same for punctuation and script: as patterns and words see it."""
    return text.translate(_SIGNS)


def simplified(text: str) -> str:
    """Traditional characters are simplified ones, nothing else is changed: a pattern, so that it meets what is ``folded``."""
    return text.translate(_SCRIPT)


HAN = "[\u3400-\u4dbf\u4e00-\u9fff]"
"""A pattern of one Chinese character."""
_CHINESE = re.compile(HAN)


def is_chinese(text: str) -> bool:
    """Has it Chinese characters?"""
    return not text.isascii() and _CHINESE.search(text) is not None
