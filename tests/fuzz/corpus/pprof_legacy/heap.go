heap profile: 877: 5668464 [1046: 11042416] @ heap/8192
0: 0 [33: 2112] @ 0x48a28c 0x48eec9
#	0x89e55e	main.f+0xfe	/x/debug.go:59

5: 160 [6: 192] @ 0x48a26c

# runtime.MemStats
# Alloc = 5
