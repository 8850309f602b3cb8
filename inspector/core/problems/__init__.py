"""What can be wrong with a document, and the rules that find it."""
