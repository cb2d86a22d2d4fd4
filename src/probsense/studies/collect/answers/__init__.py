"""What people answered: who is left out and who deserves a look, how far the study is, and its export."""
