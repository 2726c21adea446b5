"""Pages that open from disk without a network: figures, templates and the page that holds them."""
