"""Totals of orders; `python orders.py` prints 19.00, and 29.00 is right."""


class Order:
    def __init__(self, prices, discount):
        self.prices = prices
        self.discount = discount


def subtotal(prices):
    total = 0.0
    for index in range(1, len(prices)):
        total += prices[index]  # @sum
    return total  # @subtotal


def payable(order):
    before = subtotal(order.prices)
    after = before - order.discount  # @payable
    return after


def main():
    order = Order([10.0, 15.0, 5.0], 1.0)
    print(f"{payable(order):.2f}")


main()
