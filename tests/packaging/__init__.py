"""What packages the program."""
