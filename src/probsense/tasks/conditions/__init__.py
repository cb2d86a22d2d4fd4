"""The same question under several conditions: in other words, orders and with other labels, to others, as others."""
