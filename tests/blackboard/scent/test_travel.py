"""Claims about the shipped rules for travellers (words/travel_en.toml, words/travel_zh.toml), on sentences made up for them."""

from typing import Any

import pytest

from blackboard.scent import observe

TOPICS = ("hotel_", "restaurant_", "attraction_", "taxi_", "metro_")


def stated(text: str, topic: str | None = None) -> dict[str, Any]:
    """Type → value, of what a message says of travel; several of one type are a list."""
    found: dict[str, Any] = {}
    for scent in observe(text, topic=topic):
        if scent.type.startswith(TOPICS):
            found[scent.type] = [found[scent.type], scent.value] if scent.type in found else scent.value
    return found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("我想找个地方住，预算三百到五百块。", {"hotel_price": "三百到五百块"}),
        ("有没有300块以内的宾馆？", {"hotel_price": "300块以内"}),
        ("一晚400-500元的酒店", {"hotel_price": "400-500元"}),
        ("帮我找一家人均100元左右的火锅店。", {"restaurant_price": "100元"}),
        ("门票要免费的景点。", {"attraction_price": "免费"}),
        ("找个票价20到50元，评分4.5以上的景点", {"attraction_price": "20到50元", "attraction_rating": "4.5以上"}),
        ("4.5分及以上的酒店有没有", {"hotel_rating": "4.5分及以上"}),
        ("评分最少4分的餐馆", {"restaurant_rating": "4分"}),
        ("大概逛1-2个小时的博物馆。", {"attraction_duration": "1-2个小时"}),
        ("游玩时间在半天左右的景区", {"attraction_duration": "半天"}),
        ("酒店类型要舒适型，能提供接机。", {"hotel_type": "舒适型", "hotel_facility": "接机"}),
        ("酒店要有停车场、健身房。", {"hotel_facility": ["停车场", "健身房"]}),
        ("餐馆的推荐菜要有酸菜鱼和小炒肉。", {"restaurant_dish": ["酸菜鱼", "小炒肉"]}),
        ("我要一家做水煮鱼的餐厅。", {"restaurant_dish": "水煮鱼"}),
        ("请问哪家餐馆有糖醋排骨？", {"restaurant_dish": "糖醋排骨"}),
        ("我女儿想吃草莓蛋糕和冰淇淋，找个餐馆。", {"restaurant_dish": ["草莓蛋糕", "冰淇淋"]}),
        ("推荐一家以东坡肉出名的餐馆。", {"restaurant_dish": "东坡肉"}),
        ("餐馆里最好有东坡肉，评分4.5分以上。", {"restaurant_dish": "东坡肉", "restaurant_rating": "4.5分以上"}),
        ("我想吃川菜，找家餐馆", {"restaurant_cuisine": "川菜"}),
        ("hotels between 80 and 120 euros per night", {"hotel_price": "between 80 and 120 euros"}),
        ("a cheap hotel with free wifi and parking", {"hotel_price": "cheap", "hotel_facility": ["free wifi", "parking"]}),
        ("a hotel rated 4.5 or higher", {"hotel_rating": "4.5 or higher"}),
        ("an expensive Chinese restaurant", {"restaurant_price": "expensive", "restaurant_cuisine": "Chinese"}),
        ("a restaurant serving seafood and pasta", {"restaurant_dish": ["seafood", "pasta"]}),
        ("We'd like to spend two hours at a museum", {"attraction_duration": "two hours"}),
    ],
)
def test_what_is_looked_for_is_stated(text: str, wanted: dict[str, Any]) -> None:
    """In a question, too: under the topic that it is looked for."""
    assert stated(text) == wanted


@pytest.mark.parametrize(
    "asked",
    ["电话是多少？", "周边有什么酒店？", "附近有餐馆吗", "的门票贵吗？", "能玩多久", "这个景点评分高吗？", "在什么地方？", "好玩吗？"],
)
@pytest.mark.parametrize("name", ["宽窄巷子", "青山寺", "雪湖森林公园", "798街区"])
def test_a_place_is_what_something_is_asked_of(name: str, asked: str) -> None:
    """No list has its name."""
    assert stated(f"好的，那{name}{asked}", "attraction") == {"attraction_name": name}


@pytest.mark.parametrize(
    "said", ["那就去{}吧。", "我选{}，谢谢。", "明天先去{}，帮我查一下。", "我想了解一下{}。", "我在{}附近，想休息。", "逛完{}，我们再说。"]
)
def test_a_place_is_what_one_goes_to(said: str) -> None:
    """Or has been to."""
    assert stated(said.format("宽窄巷子"), "attraction") == {"attraction_name": "宽窄巷子"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("大自然商务酒店(东门店)有健身房吗？", {"hotel_name": "大自然商务酒店(东门店)"}),
        ("老李火锅(地铁站店)人均多少？", {"restaurant_name": "老李火锅(地铁站店)"}),
        ("名叫聚福楼的餐馆在哪", {"restaurant_name": "聚福楼"}),
        ("帮我在青山寺周边找一家评分4分以上的酒店", {"attraction_name": "青山寺", "hotel_rating": "4分以上"}),
        ("Is there a bistro near the Riverside Museum?", {"attraction_name": "Riverside Museum"}),
        ("a hotel called Blue Lagoon", {"hotel_name": "Blue Lagoon"}),
        ("Book a table at The Oak Bistro", {"restaurant_name": "Oak Bistro"}),
        ("I will visit the Tower of London", {"attraction_name": "Tower of London"}),
    ],
)
def test_a_name_says_what_it_is(text: str, wanted: dict[str, Any]) -> None:
    """By its end, whatever its branch is called; else by what is said of it."""
    assert stated(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("从青山寺打车去大自然酒店，车牌是多少？", {"taxi_from": "青山寺", "taxi_to": "大自然酒店"}),
        ("我要从青山寺坐地铁到东门大学", {"metro_from": "青山寺", "metro_to": "东门大学"}),
        ("帮我叫一辆从老李火锅(东门店)到青山寺的出租车", {"taxi_from": "老李火锅(东门店)", "taxi_to": "青山寺"}),
        ("a taxi from Acorn Inn to Kings College, please", {"taxi_from": "Acorn Inn", "taxi_to": "Kings College"}),
        ("from Union Square to Central Park by subway", {"metro_from": "Union Square", "metro_to": "Central Park"}),
    ],
)
def test_a_way_has_two_ends(text: str, wanted: dict[str, Any]) -> None:
    """They are no names beside."""
    assert stated(text) == wanted


@pytest.mark.parametrize("topic", ["hotel", "restaurant", "attraction"])
@pytest.mark.parametrize(
    "text",
    [
        "好的，谢谢你的推荐。",
        "那就麻烦你了",
        "电话号码发给我一下吧",
        "太贵了，换一个便宜点的",
        "麻烦再说一遍地址",
        "网上评价怎么样",
        "什么时候可以退房",
        "帮我订个位子",
        "第二家的电话是多少？",
        "附近最近的地铁站叫什么？",
        "离火车站近的有哪些？",
        "这几家里哪个评分最高？",
        "是否提供接机服务？",
        "Does it have a pool?",
        "What is the phone number?",
    ],
)
def test_what_is_only_asked_or_agreed_to_names_nothing(text: str, topic: str) -> None:
    """Whatever the conversation is about."""
    assert stated(text, topic) == {}


@pytest.mark.parametrize(
    "text",
    [
        "寄到北京市朝阳区建国饭店1203室",
        "这个咖啡价格是30元",
        "公园路5号的包裹到哪了",
        "评分低于3分的商品不要",
        "我的票退了吗，门牌号不对",
        "The kitchen knife costs $30",
        "Ship it to 5 Park Avenue, New York",
        "My room is too small for this sofa",
        "The rating of this seller is 3 stars",
    ],
)
def test_a_shop_speaks_of_no_travel(text: str) -> None:
    """Of what is on sale there is no slot here, and an address stays whole."""
    assert stated(text) == {}
