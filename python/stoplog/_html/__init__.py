"""HTML and SVG from Python's own strings: escaped, static, without anything from elsewhere."""
