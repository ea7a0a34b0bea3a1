"""The papers' own numbers, for the columns beside ours. A name that is missing was not measured there."""

# FastTrack (Flanagan and Freund), Table 1: slowdown under empty, eraser, multirace, goldilocks, basicvc, djit+, fasttrack.
FASTTRACK_COLUMNS = ["empty", "eraser", "multirace", "goldilocks", "basicvc", "djit+", "fasttrack"]
FASTTRACK_TABLE_1 = {
    "crypt": [7.6, 14.7, 54.8, 77.4, 84.4, 54.0, 14.3], "lufact": [2.6, 8.1, 42.5, None, 95.1, 36.3, 13.5],
    "moldyn": [5.6, 9.1, 45.0, 17.5, 111.7, 39.6, 10.6], "montecarlo": [4.2, 8.5, 32.8, 6.3, 49.4, 30.5, 6.4],
    "raytracer": [4.6, 6.7, 17.9, 32.8, 250.2, 18.1, 13.1], "sparse": [5.4, 11.3, 29.8, 64.1, 57.5, 27.8, 14.8],
    "series": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], "sor": [4.4, 9.1, 16.9, 63.2, 24.6, 15.8, 9.3],
    "tsp": [4.4, 24.9, 8.5, 74.2, 390.7, 8.2, 8.9], "elevator": [1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1],
    "philo": [1.1, 1.0, 1.1, 7.2, 1.1, 1.1, 1.1], "hedc": [1.1, 0.9, 1.1, 1.1, 1.1, 1.1, 1.1],
    "transactions": [1.3, 1.5, 1.6, 2.1, 1.6, 1.6, 1.4]}
FASTTRACK_AVERAGE = [4.1, 8.6, 21.7, 31.6, 89.8, 20.2, 8.5]
# Figures 3 and 4, from the text: of all operations 82.3 % are reads and 3.3 % neither reads nor writes.
FASTTRACK_RULES = {"read_same_epoch": 63.4, "read_share": 0.1, "write_same_epoch": 71.0, "write_exclusive": 28.9, "write_shared": 0.1}
FASTTRACK_CLOCKS = {"djit+": (790e6, 5.1e9), "fasttrack": (5.1e6, 17e6)}  # allocated, O(n) operations

# Goldilocks (Elmas, Qadeer and Tasiran), Table 1: slowdown with vector clocks, Basic-Eraser, Goldilocks; Table 2: and with checks
# of racy fields disabled, and the part of the checks that is left.
GOLDILOCKS_TABLE_1 = {"moldyn": [16.3, 11.3, 7.2], "raytracer": [63.1, 40.6, 25.1], "montecarlo": [41.4, 26.8, 19.4], "sor": [4.3, 4.7, 2.9]}
GOLDILOCKS_TABLE_2 = {"moldyn": (7.2, 4.0, 5268021 / 8610585), "raytracer": (25.1, 8.2, 1884836 / 5299350),
                      "montecarlo": (19.4, 18.3, 10484544 / 10491747), "sor": (2.9, 1.3, 3416928 / 7696597)}

# RaceTrack (Yu, Rodeheffer and Chen), Table 2: (slowdown, memory) ratios; Table 3.
RACETRACK_PEERS = {"btree": "Boxwood", "sat": "SATsolver", "transactions": "SpecJBB", "hedc": "Crawler"}
RACETRACK_TABLE_2 = {
    "btree": {"lockset": (1.17, 1.34), "threadset": (1.30, 1.43), "granularity": (1.21, 1.03)},
    "sat": {"lockset": (2.77, 1.67), "threadset": (2.98, 2.18), "granularity": (2.56, 1.52)},
    "transactions": {"lockset": (2.85, 1.76), "threadset": (2.87, 2.02), "granularity": (3.18, 1.18)},
    "hedc": {"lockset": (1.08, 1.33), "threadset": (1.07, 1.69), "granularity": (1.07, 1.02)}}
# Clock ticks, objects allocated (thousands), objects refined, accesses (millions), of these at object level, of these in Exclusive0.
RACETRACK_TABLE_3 = {"btree": (245807, 30383, 1161, 1692, 1557, 984), "sat": (0, 3054, 0, 28183, 28183, 28183),
                     "transactions": (239, 23093, 3399, 6615, 5997, 4550), "hedc": (12, 3635, 120, 997, 994, 917)}

# ReX (Huang and Rajagopalan): Table 2, slowdowns of instrumentation, FastTrack, ReX alone, ReX + FastTrack, redundancy in per
# cent; Table 3, with locksets: slowdown, redundancy; Table 4, MB; Table 5, total (unique) races.
REX_TABLE_2 = {
    "lufact": (18, 55, 26, 33, 99), "series": (0.14, 0.10, 0.13, 0.09, 99), "sor": (4, 12, 5, 6, 95), "sparse": (65, 206, 100, 101, 99),
    "crypt": (47, 158, 90, 143, 99), "montecarlo": (4, 16, 8, 11, 99), "moldyn": (24, 71, 44, 44, 99), "raytracer": (34, 119, 63, 66, 99),
    "search": (47, 56, 35, 47, 97), "tsp": (34, 73, 60, 63, 99)}
REX_AVERAGE = (24, 68, 40, 47, 97)
REX_TABLE_3 = {"lufact": (26, 99), "series": (0.08, 99), "sor": (5, 98), "sparse": (99, 99), "crypt": (142, 99), "montecarlo": (56, 99),
               "moldyn": (44, 99), "raytracer": (63, 99), "search": (42, 99), "tsp": (59, 99)}
REX_TABLE_4 = {"lufact": (2194, 3137, 3137), "series": (339, 290, 301), "sor": (1705, 5326, 2277), "sparse": (902, 885, 1984),
               "crypt": (5905, 11896, 9994), "montecarlo": (1637, 4494, 4456), "moldyn": (233, 1267, 1267), "raytracer": (68, 331, 411),
               "search": (24985, 22837, 26570), "tsp": (848, 879, 2727)}
REX_TABLE_5 = {"lufact": "0 (0)", "series": "0 (0)", "sor": "644 (10)", "sparse": "0 (0)", "crypt": "0 (0)", "montecarlo": "100 (1)",
               "moldyn": "0 (0)", "raytracer": "100 (1)", "search": "205 (11)", "tsp": "100 (1)"}

# SlimState (Wilcox, Finch, Flanagan and Freund): Table II, shadow fractions of SlimState and with bit sets for footprints,
# partitions, both; Table III, (memory, time) of SlimState as a part of FastTrack's.
SLIMSTATE_TABLE_2 = {
    "crypt": (5.7e-7, 2.3e-7, 2.1e-7, 1.7e-7), "raytracer": (5.7e-5, 5.7e-5, 3.4e-5, 3.4e-5), "montecarlo": (0.0018, 0.0018, 0.0017, 0.0017),
    "search": (0.0019, 0.0019, 0.00064, 0.00061), "transactions": (0.11, 0.11, 0.092, 0.089), "moldyn": (0.63, 0.63, 0.63, 0.0021),
    "series": (0.63, 0.63, 1.4e-5, 1.4e-5), "lufact": (1.0, 1.0, 0.49, 0.41), "sor": (1.0, 1.0, 1.0, 0.004), "sparse": (1.0, 0.53, None, 4.1e-6)}
SLIMSTATE_TABLE_3 = {
    "crypt": (0.04, 0.17), "lufact": (1.00, 0.91), "series": (0.79, 1.00), "sor": (1.00, 1.07), "sparse": (0.57, 0.96), "montecarlo": (0.31, 0.52),
    "search": (0.67, 0.55), "transactions": (0.78, 0.99), "moldyn": (0.94, 1.16), "raytracer": (0.54, 1.02)}
