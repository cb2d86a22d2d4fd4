"""What tests of several folders share: stand-ins, studies, servers, and readers of what is made."""
