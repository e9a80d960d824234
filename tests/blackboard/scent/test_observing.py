"""Claims about ``observe``."""

from blackboard.scent import observe


def test_a_message_carries_several_scents_each_about_its_own_order() -> None:
    """Chapter 3's example: what is to be cancelled and how the other is sent."""
    scents = [(scent.type, scent.target, scent.value) for scent in observe("cancel order #A1 and send #B2 by SF Express")]
    assert scents == [
        ("directive", "A1", "cancel"),
        ("order_reference", "A1", "A1"),
        ("order_reference", "B2", "B2"),
        ("shipping_method", "B2", "SF Express"),
    ]
