"""``watch``: what happens on a board, as it happens."""



