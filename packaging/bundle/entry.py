"""Where a bundle starts; worker processes start here too, and are sent on by `freeze_support`."""

import sys

from inspector.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
