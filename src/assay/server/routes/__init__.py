"""The resources under `/v1`, a few related ones in each file; each file offers a `router` and is found by itself."""

import pkgutil

ROUTES = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))
