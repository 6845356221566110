// Totals of orders: it prints 19.00, and 29.00 is right.
package main

import "fmt"

type order struct {
	prices   []float64
	discount float64
}

func subtotal(prices []float64) float64 {
	total := 0.0
	for index := 1; index < len(prices); index++ {
		total += prices[index] // @sum
	}
	return total // @subtotal
}

func payable(one order) float64 {
	before := subtotal(one.prices)
	after := before - one.discount // @payable
	return after
}

func main() {
	one := order{[]float64{10, 15, 5}, 1}
	fmt.Printf("%.2f\n", payable(one))
}
