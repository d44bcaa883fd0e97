"""Switch models from what a switch, or the image for it, tells of its own hardware."""
