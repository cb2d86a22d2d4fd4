"""The pages that participants and researchers see."""
