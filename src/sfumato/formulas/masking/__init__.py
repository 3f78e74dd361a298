"""What MASK gives away to whoever knows it (Wong 2009, section 6): worlds and lots, weighed."""
