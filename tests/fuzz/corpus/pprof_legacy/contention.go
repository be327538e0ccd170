--- contention:
cycles/second=2596119574
717086513 79 @ 0x89e73e 0x89e73d
#	0x1	f	x:1

5 1 @ 0x45d511
