// A package with a function that has no body wants an assembly file (main.go).
