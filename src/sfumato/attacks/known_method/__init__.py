"""What is learned by knowing the method: worlds that it would have treated alike."""
