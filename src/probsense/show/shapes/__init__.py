"""The shapes of charts: forests of estimates, panels of distributions, and the marks that all charts share."""
