"""How the shipped weights are made: fetch, build, train, distil, calibrate, quantise, evaluate."""
