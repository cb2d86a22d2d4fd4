"""Lists published data sets with their licences, and downloads them."""
