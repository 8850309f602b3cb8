"""Token counts, vectors, search and the map; heavy libraries are imported only inside the function that needs them."""
