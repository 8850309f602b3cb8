"""What PyInstaller makes of the program: the spec, what is left out and why, the engine's file, licences."""
