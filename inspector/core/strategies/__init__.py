"""The ways to chunk a document; all give the same result type. `registry` names them."""
