"""What people read: tables in the terminal, charts and one self-contained page."""
