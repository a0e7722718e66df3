"""Signpost: in a clone, `mempalace.layers` is the top-level folder `layers/`.

An installed mempalace carries that folder as a real package and not this file.
"""

import os

__path__ = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "layers")]
