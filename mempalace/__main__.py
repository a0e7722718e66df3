import sys

from mempalace.cli import main

sys.exit(main())
