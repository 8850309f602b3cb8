"""The window: views draw what the session holds; only this package imports Qt."""
