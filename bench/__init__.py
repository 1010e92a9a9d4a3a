"""Speed and memory as ratios against what people would use instead, taken in one run."""
