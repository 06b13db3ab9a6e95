"""What `stoplog report` shows: what a log and a listing tell, and its page."""
