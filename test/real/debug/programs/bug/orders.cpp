// Totals of orders: it prints 19.00, and 29.00 is right.
#include <cstdio>
#include <vector>

struct Order {
    std::vector<double> prices;
    double discount;
};

double subtotal(const std::vector<double> &prices) {
    double total = 0;
    for (int index = 1; index < (int)prices.size(); index++) {
        total += prices[index];  // @sum
    }
    return total;  // @subtotal
}

double payable(const Order &order) {
    double before = subtotal(order.prices);
    double after = before - order.discount;  // @payable
    return after;
}

int main() {
    Order order{{10, 15, 5}, 1};
    printf("%.2f\n", payable(order));
}
