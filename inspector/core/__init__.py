"""The chunker: text and options in, immutable results out. No Qt, no numpy, no disk."""
